import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";
import t from "tap";
import { createWebhookSecret } from "../webhook-secret.ts";
import {
  DELIVERY_ERROR_CLASSES,
  type DeliveryPlan,
  errorClassOfStatus,
  type Failing,
  failedAgain,
  type JudgedAttempt,
  planAfterAttempt,
  retryAfterMs,
  signWebhook,
} from "./delivery-attempt.ts";

const START = new Date("2026-03-01T10:00:00Z");
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Without jitter. */
const MIDDLE = 0.5;

function plan(attempt: Partial<JudgedAttempt>): DeliveryPlan {
  const status = attempt.status ?? null;
  return planAfterAttempt({
    status,
    errorClass: status === null ? "connection_refused" : errorClassOfStatus(status),
    retryAfterMs: null,
    failures: 0,
    refusals: 0,
    eventCount: 3,
    failingMs: 0,
    random: MIDDLE,
    ...attempt,
  });
}

/** Milliseconds until the next attempt. */
function waitAfter(attempt: Partial<JudgedAttempt>): number | undefined {
  const next = plan(attempt);
  return next.kind === "retry" ? next.afterMs : undefined;
}

/**
 * Attempts of one delivery with the same answer, until it is parked or the webhook disabled: when each was
 * made.
 */
function story(answer: Partial<JudgedAttempt>): { at: number[]; end: DeliveryPlan } {
  const at: number[] = [];
  let now = START;
  let failing: Failing | null = null;
  for (let failures = 0, refusals = 0; ; failures++) {
    at.push(now.getTime() - START.getTime());
    failing = failedAgain(failing, now);
    const next = plan({ failures, refusals, failingMs: failing.ms, ...answer });
    if (next.kind !== "retry") return { at, end: next };
    if (next.refused) refusals += 1;
    now = new Date(now.getTime() + next.afterMs);
  }
}

t.test("after an attempt - a 2xx is delivered, and nothing else is", async (t) => {
  for (const status of [200, 201, 202, 204, 299]) t.strictSame(plan({ status }), { kind: "delivered" });
  for (const status of [300, 301, 304, 400, 404, 500, 503, 599, 600, 999]) {
    t.not(plan({ status }).kind, "delivered", String(status));
  }
  for (const errorClass of DELIVERY_ERROR_CLASSES) t.equal(plan({ errorClass }).kind, "retry", errorClass);
  t.equal(plan({ status: 200, errorClass: "timeout" }).kind, "retry", "a 200 that never ended");
  t.equal(plan({ status: 200, errorClass: "response_too_large" }).kind, "retry");
});

t.test("after an attempt - 5 s, 30 s, 2 min, 10 min, 30 min, then hourly, each within 20 %", async (t) => {
  const waits = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, HOUR, HOUR];
  for (const [failures, wait] of waits.entries()) {
    t.equal(waitAfter({ failures }), wait);
    t.equal(waitAfter({ failures, random: 0 }), wait * 0.8);
    t.equal(waitAfter({ failures, random: 1 - Number.EPSILON }), wait * 1.2);
  }
  t.equal(waitAfter({ failures: 1_000_000 }), HOUR);
});

t.test("after an attempt - the wait that the target asks for replaces that of the table", async (t) => {
  for (const [retryAfterMs, wait] of [
    [0, SECOND],
    [300, SECOND],
    [7 * SECOND, 7 * SECOND],
    [HOUR, HOUR],
  ] as const) {
    for (const status of [429, 503, 400, 302]) {
      for (const failures of [0, 3, 50]) t.equal(waitAfter({ status, retryAfterMs, failures }), wait);
    }
  }
});

t.test(
  "after an attempt - 72 hours of failure: 77 attempts at the times of the table, and the 78th disables",
  async (t) => {
    for (const answer of [
      { errorClass: "dns_error" },
      { status: 500 },
      { status: 429 },
      { status: 408 },
      { status: 302 },
    ] as const) {
      const { at, end } = story(answer);
      t.strictSame(
        at.slice(0, 8).map((ms) => ms / SECOND),
        [0, 5, 35, 155, 755, 2555, 6155, 9755],
      );
      t.strictSame(new Set(at.slice(6).map((ms, i) => ms - (at[i + 5] ?? 0))), new Set([HOUR]));
      t.equal(at.length, 78);
      t.ok((at.at(-2) ?? 0) < 72 * HOUR && (at.at(-1) ?? 0) >= 72 * HOUR);
      t.strictSame(end, { kind: "disable", refused: false });
    }
  },
);

t.test(
  "after an attempt - the 72 hours are those of the webhook, whichever delivery was tried",
  async (t) => {
    t.equal(plan({ failures: 0, failingMs: 72 * HOUR - 1 }).kind, "retry");
    t.equal(plan({ failures: 0, failingMs: 72 * HOUR }).kind, "disable");
    t.strictSame(
      plan({ status: 400, refusals: 9, failingMs: 72 * HOUR }),
      { kind: "disable", refused: true },
      "rather than that its deliveries are split and parked without notice",
    );
  },
);

t.test("after an attempt - time without attempts is no failure", async (t) => {
  const at = (ms: number) => new Date(START.getTime() + ms);
  const first = failedAgain(null, START);
  t.strictSame(first, { since: START, last: START, ms: 0 });
  const hour = failedAgain(first, at(1.2 * HOUR));
  t.equal(hour.ms, 1.2 * HOUR, "as long as the schedule lets a wait be");
  const away = failedAgain(hour, at(80 * HOUR));
  t.equal(away.ms, 1.2 * HOUR + 75 * MINUTE, "of three days without an attempt, one wait counts");
  t.strictSame([away.since, away.last], [START, at(80 * HOUR)]);
  t.equal(failedAgain(away, at(79 * HOUR)).ms, away.ms, "a clock that was set back counts nothing");
});

t.test("after an attempt - 410 disables at once, and is no refusal", async (t) => {
  t.strictSame(plan({ status: 410 }), { kind: "disable", refused: false });
  t.strictSame(plan({ status: 410, retryAfterMs: 5000, refusals: 9 }), { kind: "disable", refused: false });
});

t.test("after an attempt - ten refusals split a delivery, and park a single event", async (t) => {
  for (const status of [400, 401, 403, 404, 409, 413, 422, 451, 499]) {
    t.match(plan({ status, refusals: 8 }), { kind: "retry", refused: true }, String(status));
    t.strictSame(plan({ status, refusals: 9 }), { kind: "split" });
    t.strictSame(plan({ status, refusals: 9, eventCount: 100 }), { kind: "split" });
    t.strictSame(plan({ status, refusals: 9, eventCount: 1 }), { kind: "parked" });
  }
  const { at, end } = story({ status: 400 });
  t.equal(at.length, 10);
  t.equal(at.at(-1), 2555 * SECOND + 4 * HOUR);
  t.strictSame(end, { kind: "split" });
});

t.test(
  "after an attempt - an answer that means 'not now' is no refusal, however often it comes",
  async (t) => {
    for (const status of [408, 425, 429, 500, 503, 302]) {
      t.match(plan({ status, refusals: 9, failures: 40 }), { kind: "retry", refused: false }, String(status));
    }
    for (const errorClass of DELIVERY_ERROR_CLASSES) {
      t.match(plan({ errorClass, refusals: 9 }), { kind: "retry", refused: false }, errorClass);
    }
  },
);

const VECTORS = new URL("../../../../../test/vectors/webhook-signature.json", import.meta.url);

interface Vector {
  readonly secret: string;
  readonly webhook_id: string;
  readonly webhook_timestamp: string;
  readonly body: string;
  readonly webhook_signature: string;
}

t.test("sign webhook - the published vector", async (t) => {
  const { vectors } = JSON.parse(readFileSync(VECTORS, "utf8")) as { vectors: Vector[] };
  t.ok(vectors.length > 0);
  for (const { secret, webhook_id: id, webhook_timestamp: timestamp, body, webhook_signature } of vectors) {
    t.equal(signWebhook(secret, { id, timestamp, body }), webhook_signature);
    t.equal(signWebhook(secret, { id, timestamp, body: Buffer.from(body) }), webhook_signature);
  }
});

t.test(
  "sign webhook - another implementation makes the same signature, for secrets of every length",
  async (t) => {
    const id = "dlv_01h455vb4pex5vsknk084sn02q";
    const now = new Date("2026-03-01T10:00:00Z");
    const timestamp = String(now.getTime() / 1000);
    const body = JSON.stringify({ events: [{ reason: "päid, 支払い 🎉" }] });
    const secrets = [24, 31, 32, 64].map((length) => `whsec_${randomBytes(length).toString("base64")}`);
    for (const secret of [...secrets, createWebhookSecret(randomBytes(32))]) {
      t.equal(signWebhook(secret, { id, timestamp, body }), new Webhook(secret).sign(id, now, body));
    }
  },
);

const ASKED_AT = new Date("1994-11-06T08:49:07.250Z");

t.test("retry-after - seconds, and dates in the three forms of HTTP", async (t) => {
  for (const [header, ms] of [
    ["0", 0],
    ["1", 1000],
    [" 120 ", 120_000],
    ["3600", 3_600_000],
    ["Sun, 06 Nov 1994 08:49:37 GMT", 29_750],
    ["Sunday, 06-Nov-94 08:49:37 GMT", 29_750],
    ["Sun Nov  6 08:49:37 1994", 29_750],
    ["Sun, 06 Nov 1994 09:49:07 GMT", 3_599_750],
    ["Sun, 06 Nov 1994 08:49:07 GMT", 0],
    ["Sat, 05 Nov 1994 08:49:37 GMT", 0],
  ] as const) {
    t.equal(retryAfterMs(header, ASKED_AT), ms, header);
  }
});

t.test(
  "retry-after - a missing or malformed header, or one of more than an hour, is not honoured",
  async (t) => {
    for (const header of [
      undefined,
      "",
      "-1",
      "1.5",
      "1e3",
      "0x10",
      "3601",
      "99999999999999999999",
      "soon",
      "10 seconds",
      "1994-11-06T08:49:37Z",
      "Sun, 06 Nov 1994 08:49:37 +0100",
      "Sun, 99 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 09:49:08 GMT",
      "Mon, 07 Nov 1994 08:49:37 GMT",
    ]) {
      t.equal(retryAfterMs(header, ASKED_AT), null, String(header));
    }
  },
);
