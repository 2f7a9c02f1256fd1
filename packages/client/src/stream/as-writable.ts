import { Writable } from "node:stream";
import { CountQueuingStrategy, WritableStream } from "node:stream/web";
import type { TransactionEvent } from "../generated/publisher-api.ts";
import type { UndeliveredError } from "./undelivered-error.ts";

/** What a writable needs of its stream. */
export interface WrittenStream {
  write(event: TransactionEvent): Promise<void>;
  flush(): Promise<void>;
  /** Calls back once if the stream fails, at once if it has failed. Returns how to stop listening. */
  onFailure(listener: (error: UndeliveredError) => void): () => void;
}

/** How many events a writable buffers on their way to the stream, which has a buffer too. */
const AHEAD = 16;

/**
 * The end of a pipeline. If it is destroyed, the stream still delivers every event that the writable has
 * handed to it. Without the listener, a source that gives nothing more would never learn that the stream has
 * failed.
 */
export function toWritable(stream: WrittenStream): Writable {
  const writable = new Writable({
    objectMode: true,
    highWaterMark: AHEAD,
    write: (event: TransactionEvent, _, done) => {
      stream.write(event).then(() => done(), done);
    },
    final: (done) => {
      stream.flush().then(() => done(), done);
    },
  });
  writable.once(
    "close",
    stream.onFailure((error) => writable.destroy(error)),
  );
  return writable;
}

/** The same for `readable.pipeTo`. If the pipe is aborted, the stream still delivers the events that it has. */
export function toWebWritable(stream: WrittenStream): WritableStream<TransactionEvent> {
  let stopListening = (): void => {};
  return new WritableStream<TransactionEvent>(
    {
      start: (controller) => {
        stopListening = stream.onFailure((error) => controller.error(error));
      },
      write: (event) => stream.write(event),
      close: async () => {
        stopListening();
        await stream.flush();
      },
      abort: () => stopListening(),
    },
    new CountQueuingStrategy({ highWaterMark: AHEAD }),
  );
}
