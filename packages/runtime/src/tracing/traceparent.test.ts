import t from "tap";
import { readTraceparent, writeTraceparent } from "./traceparent.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";
const traceIdOf = (text: string) => readTraceparent(text)?.traceId;

t.test("traceparent - the trace-id of a valid one", (t) => {
  t.equal(traceIdOf(`00-${TRACE}-${PARENT}-01`), TRACE);
  t.equal(traceIdOf(`00-${TRACE}-${PARENT}-00`), TRACE);
  t.equal(traceIdOf(`cc-${TRACE}-${PARENT}-09`), TRACE, "a later version");
  t.equal(traceIdOf(`cc-${TRACE}-${PARENT}-09-what-comes-then`), TRACE, "a later version that says more");
  t.end();
});

t.test("traceparent - anything else is none", (t) => {
  const invalid = [
    "",
    TRACE,
    `ff-${TRACE}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-01-more`,
    `00-${TRACE}-${PARENT}-01-`,
    `cc-${TRACE}-${PARENT}-09more`,
    `00-${"0".repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}`,
    `00-${TRACE}-${PARENT}-0`,
    `0-${TRACE}-${PARENT}-01`,
    ` 00-${TRACE}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-01\n`,
  ];
  for (const header of invalid) t.equal(traceIdOf(header), undefined, JSON.stringify(header));
  t.end();
});

t.test("traceparent - what is written says the same", (t) => {
  for (const flags of ["00", "01"]) {
    const text = `00-${TRACE}-${PARENT}-${flags}`;
    const read = readTraceparent(text);
    t.strictSame(read, { traceId: TRACE, parentId: PARENT, isSampled: flags === "01" });
    t.equal(read && writeTraceparent(read), text);
  }
  t.end();
});
