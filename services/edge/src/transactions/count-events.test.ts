import t from "tap";
import { ApiError } from "#contract";
import type { RateVerdict } from "#http";
import { RateLimiter } from "../auth/rate-limiter.ts";
import type { SubmissionResult } from "../ingest/ingest-request.ts";
import { transactionEndpoints } from "./transactions.ts";

const REFUSED = { kind: "refused", reason: "stream_full" } as const;
const UNAVAILABLE = new ApiError("unavailable", "not now", { reason: "stream_full" }, 1);

/** `transaction/ingest` with a bucket of ten events, whose gateway has these outcomes, one after the other. */
function ingestWith(...outcomes: (SubmissionResult | Error)[]) {
  const submit = () => {
    const outcome = outcomes.shift();
    if (outcome instanceof Error) throw outcome;
    return Promise.resolve({ batch: "01980000-0000-7000-8000-000000000001", outcome });
  };
  const eventLimiter = new RateLimiter({ perSecond: 1, burst: 10 }, () => 0);
  const [ingest] = transactionEndpoints({
    gateway: { submit },
    batchIds: { seal: () => "batch_1" },
    eventLimiter,
  } as never);
  /** Sends so many events; the code of the refusal, if any, and what the answer says is left. */
  return async (count: number) => {
    let verdict: RateVerdict | undefined;
    const call = {
      body: { events: new Array(count).fill({}) },
      caller: { tokenId: "a" },
      header: () => "",
      limit: (given: RateVerdict) => {
        verdict = given;
        if (given.refusal !== undefined) throw given.refusal;
      },
    };
    const code = await Promise.resolve()
      .then(() => ingest?.run(call as never))
      .then(
        () => "taken",
        (error) => error.code,
      );
    return [code, verdict?.headers["ratelimit-remaining"]];
  };
}

t.test(
  "regression - events that were not accepted counted, and their repetition was answered 429",
  async (t) => {
    const accepted = { kind: "accepted", places: [] } as never;
    const send = ingestWith(UNAVAILABLE, REFUSED, accepted, { kind: "unknown" }, UNAVAILABLE);
    t.strictSame(await send(10), ["unavailable", "10"], "refused before it was published");
    t.strictSame(await send(10), ["unavailable", "10"], "refused by the stream");
    t.strictSame(await send(6), ["taken", "4"]);
    t.strictSame(await send(3), ["internal_error", "1"], "it may be stored");
    t.strictSame(await send(2), ["rate_limited", "1"]);
    t.strictSame(await send(1), ["unavailable", "1"]);
  },
);

t.test("count events - what is not accepted pays no debt off", async (t) => {
  const accepted = { kind: "accepted", places: [] } as never;
  const send = ingestWith(REFUSED, accepted);
  t.strictSame(await send(50), ["unavailable", "10"]);
  t.strictSame(await send(50), ["taken", "0"]);
  t.strictSame(await send(1), ["rate_limited", "0"]);
});
