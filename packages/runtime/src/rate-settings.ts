import { decimal, integer, type Setting } from "./setting.ts";

/** How much one caller may send, off where it is 0: a part of the table `SETTINGS`. */
export const RATE_SETTINGS = {
  rateLimit: decimal("STAMPEDE_RATE_LIMIT", {
    about: "requests per second and API token in each edge process; 0 is no limit",
    readers: ["edge"],
    unit: "requests/s",
    more: "`0.5` is one in two seconds. N edge processes together allow N times as many.",
    fallback: 0,
    max: 1_000_000,
  }),
  rateLimitBurst: integer("STAMPEDE_RATE_LIMIT_BURST", {
    about: "requests that a token may make at once after a rest; 0 is the number of one second",
    readers: ["edge"],
    unit: "requests",
    fallback: 0,
    min: 0,
    max: 1_000_000,
  }),
  eventRateLimit: decimal("STAMPEDE_EVENT_RATE_LIMIT", {
    about: "transactions per second and API token in each edge process; 0 is no limit",
    readers: ["edge"],
    unit: "events/s",
    more: "Counts the events of `transaction/ingest`, beside the limit of requests. N edge processes together allow N times as many.",
    fallback: 0,
    max: 1_000_000,
  }),
  eventRateLimitBurst: integer("STAMPEDE_EVENT_RATE_LIMIT_BURST", {
    about: "transactions that a token may send at once after a rest; 0 is the number of one second",
    readers: ["edge"],
    unit: "events",
    more: "After a rest a larger request is accepted, too; the next one then waits longer.",
    fallback: 0,
    min: 0,
    max: 1_000_000,
  }),
  authFailuresPerMinute: integer("STAMPEDE_AUTH_FAILURES_PER_MINUTE", {
    about:
      "wrong tokens of a client address that each process answers with 401 in a minute, and then with 429; 0 is no limit",
    readers: ["edge", "platform"],
    unit: "tokens/min",
    more: "An IPv6 address counts by its /64. A right token is accepted all the same; if the process does not know it yet, its look-up waits up to 50 ms.",
    fallback: 60,
    min: 0,
    max: 1_000_000,
  }),
} as const satisfies Record<string, Setting<unknown>>;
