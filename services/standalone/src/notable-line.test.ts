import t from "tap";
import { notableLine } from "./service-log.ts";

t.test("notable line - warnings and errors, shortened; nothing below them", async (t) => {
  t.equal(notableLine('{"level":"info","msg":"request"}'), undefined);
  t.equal(notableLine('{"level":"warn","msg":"nats disconnected"}'), "warn: nats disconnected");
  t.equal(notableLine('{"level":"error","msg":"failed","err":{"message":"why"}}'), "error: failed (why)");
});

t.test("notable line - what is not a log line is shown as it is", async (t) => {
  for (const line of [
    "stampede edge: 127.0.0.1:80 is taken",
    "FATAL ERROR: heap out of memory",
    '{"level":"wa',
  ]) {
    t.equal(notableLine(line), line);
  }
});
