import t from "tap";
import { LIMITS } from "#contract";
import { ENDINGS } from "#embedded";

t.test("endings - a service that drains is not killed before its own limit ends it", async (t) => {
  const [{ signal, graceMs }] = ENDINGS.service as [(typeof ENDINGS.service)[0]];
  t.equal(signal, "SIGTERM");
  t.ok(graceMs > LIMITS.drainMs);
});
