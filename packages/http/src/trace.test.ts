import t from "tap";
import { newTraceId, traceIdOf } from "./trace.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

t.test("new trace ids - 32 hex characters, all different, over many refills of the pool", (t) => {
  const ids = Array.from({ length: 5000 }, newTraceId);
  t.ok(ids.every((id) => /^[0-9a-f]{32}$/.test(id)));
  t.equal(new Set(ids).size, ids.length);
  t.end();
});

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
