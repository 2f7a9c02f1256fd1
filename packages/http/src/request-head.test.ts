import t from "tap";
import { newTraceId } from "./request-head.ts";

t.test("new trace ids - 32 hex characters, all different, over many refills of the pool", (t) => {
  const ids = Array.from({ length: 5000 }, newTraceId);
  t.ok(ids.every((id) => /^[0-9a-f]{32}$/.test(id)));
  t.equal(new Set(ids).size, ids.length);
  t.end();
});
