import { parseArgs } from "node:util";
import { COMMON_OPTIONS, count, known, modeOf, ONE, type Places, placesOf, SEVERAL } from "../arguments.ts";

export type WebhooksPart = "backlog" | "many" | "latency";
const PARTS: readonly WebhooksPart[] = ["backlog", "many", "latency"];

export interface WebhooksOptions extends Places {
  readonly mode: "webhooks" | "webhooks-quick" | "webhooks-partial";
  readonly parts: readonly WebhooksPart[];
  /** backlog: events that wait for the one webhook. */
  readonly events: number;
  /** many: webhooks, each of an organisation of its own. */
  readonly webhooks: number;
  /** many: those of them that hang while the others are measured once more. */
  readonly hanging: number;
  /** many: of each measured run. Short of a delivery's time-out, so that all that hang do so all the time. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** many: of the runs with and without hanging ones, in turn. */
  readonly repetitions: number;
  /** latency: events, one after the other. */
  readonly samples: number;
  readonly profileDir: string | undefined;
}

export const WEBHOOKS_USAGE = `npm run bench -- webhooks [options]

  (none)                 the whole of it, some four minutes
  --quick                the same path with small numbers, some seconds

  --only PART            only backlog, many or latency; repeatable
  --events N             backlog: events that wait for one webhook
  --webhooks N           many: webhooks; a fifth of them hangs in every second run
  --seconds N            many: of each measured run; at most 10
  --repetitions N        many: of the runs in turn
  --samples N            latency: events
  --profile DIR          CPU profiles of the service, written when it ends
  --results DIR          where the line goes
  --dir DIR              where PostgreSQL and NATS keep their data (a disk, not tmpfs)
`;

/** With the warm-up less than the 15 s that a target may take. */
const SECONDS_MAX = 10;
const HANGING_SHARE = 0.2;

const WHOLE = {
  events: 1_000_000,
  webhooks: 1_000,
  seconds: 8,
  warmUpSeconds: 2,
  repetitions: 3,
  samples: 1_000,
};
const QUICK: typeof WHOLE = {
  events: 5_000,
  webhooks: 50,
  seconds: 1,
  warmUpSeconds: 0.25,
  repetitions: 1,
  samples: 30,
};

/** @throws Error that says what is wrong with the arguments */
export function readWebhooksOptions(args: readonly string[]): WebhooksOptions | "help" {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...COMMON_OPTIONS,
      only: SEVERAL,
      events: ONE,
      webhooks: ONE,
      seconds: ONE,
      repetitions: ONE,
      samples: ONE,
      profile: ONE,
    },
  });
  if (values.help) return "help";
  const { only, events, webhooks, seconds, repetitions, samples, profile } = values;
  const narrowed = [only, events, webhooks, seconds, repetitions, samples, profile];
  const base = values.quick ? QUICK : WHOLE;
  const all = count("--webhooks", webhooks, base.webhooks);
  const hanging = Math.floor(all * HANGING_SHARE);
  if (hanging === 0) throw new Error(`--webhooks is at least ${1 / HANGING_SHARE}, not ${all}`);
  const measured = count("--seconds", seconds, base.seconds);
  if (measured > SECONDS_MAX) throw new Error(`--seconds is at most ${SECONDS_MAX}, not ${measured}`);
  return {
    mode: modeOf("webhooks", values, narrowed),
    ...base,
    parts: known("--only", only, PARTS) ?? PARTS,
    events: count("--events", events, base.events),
    webhooks: all,
    hanging,
    seconds: measured,
    repetitions: count("--repetitions", repetitions, base.repetitions),
    samples: count("--samples", samples, base.samples),
    ...placesOf(values),
    profileDir: profile,
  };
}
