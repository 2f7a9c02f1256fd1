import t from "tap";
import { FLOW, type Hop } from "#contract";
import { PublishError, subjectName } from "#nats";
import { BACKPRESSURE_REASONS, backpressureOf, FAULTS, faultOf } from "./ingest-fault.ts";

const full = (hop: Hop) => new PublishError(subjectName({ prefix: "T1" }, hop, 1), "stream_full");
const serverSays = (code: string) => Object.assign(new Error("says no"), { code });

t.test(
  "faults - every error maps to one of the closed set, and outside causes are reported as backpressure",
  async (t) => {
    const cases = [
      [full(FLOW.platformTransactions), "stream_full", "platform_tx_full"],
      [full(FLOW.settlement), "stream_full", "settlement_full"],
      [full(FLOW.dead), "stream_full", "stream"],
      [new PublishError("settlement", "TimeoutError"), "stream_unavailable", "stream"],
      [serverSays("57P01"), "database_unavailable", "database"],
      [serverSays("ECONNREFUSED"), "database_unavailable", "database"],
      [serverSays("40P01"), "database_conflict", "database"],
      [serverSays("23505"), "database_refused", undefined],
      [new TypeError("x is not a function"), "unexpected", undefined],
      ["not even an error", "unexpected", undefined],
    ] as const;
    for (const [error, fault, reason] of cases) {
      t.equal(faultOf(error), fault, String(error));
      t.equal(backpressureOf(error), reason, String(error));
    }
    t.strictSame(new Set(cases.map(([, fault]) => fault)), new Set(FAULTS), "all of them");
    t.strictSame(new Set(cases.flatMap(([, , reason]) => reason ?? [])), new Set(BACKPRESSURE_REASONS));
  },
);
