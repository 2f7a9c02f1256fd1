import { decimal, integer, type Setting } from "./setting.ts";

/** How much one caller may send, off where it is 0: a part of the table `SETTINGS`. */
export const RATE_SETTINGS = {
  rateLimit: decimal("STAMPEDE_RATE_LIMIT", {
    about: "requests per second and API token in each edge process; 0 is no limit",
    readers: ["edge"],
    unit: "requests/s",
    more: "`0.5` is one in two seconds. N edge processes allow N times as much.",
    fallback: 0,
    max: 1_000_000,
  }),
  rateLimitBurst: integer("STAMPEDE_RATE_LIMIT_BURST", {
    about: "requests that a token may make at once after a rest; 0 is what one second allows",
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
    more: "Counts the events of `transaction/ingest`, beside the limit of requests. N edge processes allow N times as much.",
    fallback: 0,
    max: 1_000_000,
  }),
  eventRateLimitBurst: integer("STAMPEDE_EVENT_RATE_LIMIT_BURST", {
    about: "transactions that a token may send at once after a rest; 0 is what one second allows",
    readers: ["edge"],
    unit: "events",
    more: "A request with more is taken after a rest all the same, and what it has too much is paid off before the next.",
    fallback: 0,
    min: 0,
    max: 1_000_000,
  }),
  authFailuresPerMinute: integer("STAMPEDE_AUTH_FAILURES_PER_MINUTE", {
    about:
      "wrong tokens a minute and client address that each process answers 401; past them 429; 0 is no limit",
    readers: ["edge", "platform"],
    unit: "tokens/min",
    more: "An IPv6 address counts by its /64. A right token is taken all the same: one that the process does not know waits up to 50 ms for its look-up then.",
    fallback: 60,
    min: 0,
    max: 1_000_000,
  }),
} as const satisfies Record<string, Setting<unknown>>;
