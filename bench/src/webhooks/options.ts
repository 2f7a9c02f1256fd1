import { type OptionsOf, optionsOf } from "../kit/options.ts";

/** Together with the warm-up less than the 15 s that a target may take. */
const SECONDS_MAX = 10;
const HANGING_SHARE = 0.2;

export const WEBHOOKS_OPTIONS = optionsOf({
  name: "webhooks",
  whole: "the whole of it, some five minutes",
  quick: "the same path with small numbers, some seconds",
  sizes: {
    /** backlog: events that wait for the one webhook. */
    events: [1_000_000, 5_000],
    /** many: webhooks, each of its own organisation. */
    webhooks: [1_000, 50],
    /**
     * many: seconds of each measured run. Shorter than a delivery's time-out, so that the hanging ones hang
     * all the time.
     */
    seconds: [8, 1],
    warmUpSeconds: [2, 0.25],
    /** many: of the runs with and without hanging ones, in turn. */
    repetitions: [3, 1],
    /** latency: events, one after the other. */
    samples: [1_000, 30],
    /** rare: webhooks that want one event, and the events before it. */
    rareWebhooks: [1_000, 20],
    rareEvents: [200_000, 2_000],
  },
  choices: { parts: ["backlog", "many", "latency", "rare"] },
  options: {
    only: { only: "parts", what: "PART", help: "repeatable" },
    events: { sets: "events", help: "backlog: events that wait for one webhook" },
    webhooks: { sets: "webhooks", help: "many: webhooks; a fifth of them hangs in every second run" },
    seconds: { sets: "seconds", help: `many: of each measured run; at most ${SECONDS_MAX}` },
    repetitions: { sets: "repetitions", help: "many: of the runs in turn" },
    samples: { sets: "samples", help: "latency: events" },
    rare: { sets: "rareWebhooks", help: "rare: webhooks that want one event" },
    "rare-events": { sets: "rareEvents", help: "rare: events that wait for one webhook" },
  },
  profile: "CPU profiles of the service, written when it ends",
  derive({ webhooks, seconds }) {
    const hanging = Math.floor(webhooks * HANGING_SHARE);
    if (hanging === 0) throw new Error(`--webhooks is at least ${1 / HANGING_SHARE}, not ${webhooks}`);
    if (seconds > SECONDS_MAX) throw new Error(`--seconds is at most ${SECONDS_MAX}, not ${seconds}`);
    /** many: the number that hang while the others are measured once more. */
    return { hanging };
  },
});
export type WebhooksOptions = OptionsOf<typeof WEBHOOKS_OPTIONS>;
