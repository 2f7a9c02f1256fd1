/**
 * How far apart messages of one edge to one partition, and batches of one lane, are under load, in milliseconds. Nothing spaces
 * them but that the one before must be stored, or written, and that the processes are busy: with 512 callers of single events
 * on the measured machine messages are 11 ms apart. Plans and simulation take less than that, as more cores would.
 */
export const MESSAGE_TURN_MS = 4;
export const BATCH_TURN_MS = 10;
