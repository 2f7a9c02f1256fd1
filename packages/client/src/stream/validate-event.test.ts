import t from "tap";
import { testEvent } from "./test-ingest.ts";
import { findFault } from "./validate-event.ts";

t.test("event - a whole one has no fault", async (t) => {
  t.equal(findFault(testEvent("tx-1")), undefined);
  t.equal(
    findFault(testEvent("tx-1", { cleared_at: "2026-01-02T00:00:00+02:00", amount: 0, currency: "EUR" })),
    undefined,
  );
});

t.test("event - a malformed one gets the service's own words, with the place in the event", async (t) => {
  const faults = [
    [testEvent("tx-1", { bin: "12" }), "/bin", /must match/],
    [testEvent(""), "/external_id", /at least 1 character/],
    [testEvent("tx-1", { amount: 1.5 }), "/amount", /must be integer/],
    [testEvent("tx-1", { auth_code: "4111 1111 1111 1111" }), "/auth_code", /card number/],
    [testEvent("tx-1", { authed_at: "yesterday" }), "/authed_at", /RFC 3339/],
    [{ ...testEvent("tx-1"), tip: 5 }, "/tip", /not a known field/],
    [{ ...testEvent("tx-1"), "a/b": 5 }, "/a~1b", /not a known field/],
    [undefined, "", /must be object/],
    ["tx-1", "", /must be object/],
    [[], "", /must be object/],
  ] as const;
  for (const [event, path, reason] of faults) {
    t.match(findFault(event), { outcome: "rejected", code: "bad_request", path, reason });
  }
});
