/** The progress of a reader in a partition of an unordered hop; stored in the reader's database. */
export interface ReadPlace {
  /** When NATS created the stream that `done` belongs to. */
  readonly streamCreated: string;
  /** Everything up to this sequence is done. */
  readonly done: number;
  /** When the stream stored that message, in milliseconds since 1970; null: not known. */
  readonly storedAtMs: number | null;
}

/** The place in one partition of a hop. */
export interface PartitionPlace extends ReadPlace {
  /** `Hop.stream`. */
  readonly hop: string;
  readonly partition: number;
}
