import { IngestStream } from "./ingest-stream.ts";
import { refusal, testEvent } from "./test-ingest.ts";

/** A program that writes an event, never looks back, and ends: its stream fails in between. */
const stream = new IngestStream(
  async () => {
    throw refusal(401, "authentication_error");
  },
  { maxWaitMs: 1 },
);
await stream.write(testEvent("a"));
// With any argument it asks, and knows.
if (process.argv.length > 2) setTimeout(() => stream.flush().catch(() => {}), 100);
