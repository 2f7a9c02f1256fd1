/**
 * The real services and the model, on the same histories: a few in `.ci/run`; in `npm run test:long` so many
 * that every cell of the table of coverage must occur. README.md beside this file lists the other variables.
 */
import { appendFileSync } from "node:fs";
import t, { type Test } from "tap";
import { differences, readEvents } from "./compare.ts";
import { CELLS, countStates } from "./coverage.ts";
import { History } from "./history.ts";
import { Services, Story } from "./services.ts";
import { wallet } from "./wallet.ts";

const IS_LONG = process.env.TEST_LONG !== undefined;
/** These runs take hours. */
const LONG_SEEDS = 1000;
/**
 * These seeds find each of the faults in README.md, and take some 20 s of two quiet cores in three orders
 * each.
 */
const SHORT_SEEDS = [...upTo(5), 8, 14, 18, 20, 29, 30];
t.setTimeout(IS_LONG ? 12 * 3_600_000 : 590_000);

const TOGETHER = 30;
const STEPS = 14;
/** From this many histories on, each order counted, every cell of the table of coverage must occur. */
const COVERING_HISTORIES = 1000;
/** `MODEL_WITHOUT=program,deal,member-deletion` leaves out requests of these kinds after the beginning, to find a cause. */
const WITHOUT = new Set((process.env.MODEL_WITHOUT ?? "").split(","));
const { MODEL_SEED, MODEL_SEEDS, MODEL_FROM = "1", MODEL_LOG, MODEL_ORDERS } = process.env;
const seeds = seedsToPut();

function seedsToPut(): number[] {
  if (MODEL_SEED !== undefined) return [Number(MODEL_SEED)];
  if (MODEL_SEEDS !== undefined) return upTo(Number(MODEL_SEEDS), Number(MODEL_FROM));
  return IS_LONG ? upTo(LONG_SEEDS, Number(MODEL_FROM)) : SHORT_SEEDS;
}

function upTo(count: number, from = 1): number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}

/** In `.ci/run` each seed runs in the first order and in every second of the others. */
const IS_SHORT = !IS_LONG && MODEL_SEED === undefined && MODEL_SEEDS === undefined;
const isPut = (seed: number, order: number): boolean => {
  if (IS_SHORT) return order === 0 || (seed + order) % 2 === 0;
  return MODEL_ORDERS === undefined || MODEL_ORDERS.includes(String(order));
};

const counted = new Map<string, number>();
const countIn = (counts: Map<string, number>, name: string): void =>
  void counts.set(name, (counts.get(name) ?? 0) + 1);
const count = (cell: string): void => countIn(counted, cell);

/**
 * Which services are away in which of the four parts of a history, and which are killed in the middle of one.
 * In parts 2 and 4 the platform gets no requests.
 */
const ORDERS = {
  "nothing is late": {},
  "rewards are late": { end: { 1: ["rewards"] }, begin: { 5: ["rewards"] } },
  "the platform is late": {
    end: { 2: ["platform"], 4: ["platform"] },
    begin: { 3: ["platform"], 5: ["platform"] },
  },
  "both are late, and rewards come first": {
    end: { 2: ["platform"], 3: ["rewards"], 4: ["platform"] },
    begin: { 3: ["platform"], 4: ["rewards"], 5: ["platform"] },
  },
  "both are killed": { kill: { 2: ["platform", "rewards"], 3: ["rewards"], 4: ["rewards", "platform"] } },
} as const satisfies Record<string, Order>;

type ByPart = Readonly<Record<number, readonly ("platform" | "rewards")[]>>;

interface Order {
  readonly end?: ByPart;
  readonly begin?: ByPart;
  readonly kill?: ByPart;
}

t.test("every history has the model's result, however late the services are", async (t) => {
  const services = await Services.open(t);
  let cursor: string | undefined;
  let known = 0;
  let told = 0;
  const kinds = new Map<string, number>();
  for (let from = 0; from < seeds.length; from += TOGETHER) {
    for (const [number, name] of Object.keys(ORDERS).entries()) {
      const run = `${Date.now().toString(36)}${number}`;
      const some = seeds.slice(from, from + TOGETHER).filter((seed) => isPut(seed, number));
      if (some.length === 0) continue;
      const stories = some.map((seed) => new Story(new History(seed, run, count), services));
      await tell(services, stories, ORDERS[name as keyof typeof ORDERS]);
      const read = await readEvents(services.publisher, cursor, (await services.eventCount()) - known);
      known += read.events.length;
      told += stories.length;
      cursor = read.cursor;
      for (const [index, story] of stories.entries()) {
        countStates(wallet(story.facts), count);
        const found = await differences(story, read.events, services.publisher);
        for (const line of found) countIn(kinds, `${name}: ${line.split(":")[0]}`);
        if (found.length > 0) log({ seed: some[index], order: name, found, facts: story.facts });
        t.strictSame(found, [], `seed ${some[index]}, ${name}`);
      }
    }
  }
  reportCoverage(t, kinds, told);
});

function reportCoverage(t: Test, kinds: ReadonlyMap<string, number>, told: number): void {
  const missing = CELLS.filter((cell) => !counted.has(cell));
  const coverage = Object.fromEntries([...counted].sort());
  if (IS_LONG || told >= COVERING_HISTORIES) {
    t.strictSame(missing, [], "every option, state and pair of requests has occurred");
    t.comment(`coverage: ${JSON.stringify(coverage, null, 1)}`);
  }
  if (kinds.size > 0) t.comment(`differences: ${JSON.stringify(Object.fromEntries(kinds), null, 1)}`);
  if (IS_LONG) process.stderr.write(`${told} histories, ${JSON.stringify(coverage)}\n`);
  log({ missing, kinds: Object.fromEntries(kinds), coverage });
}

async function tell(
  services: Services,
  stories: readonly Story[],
  { end, begin, kill }: Order,
): Promise<void> {
  await Promise.all(stories.map((story) => story.setUp()));
  for (const part of [1, 2, 3, 4]) {
    await Promise.all((begin?.[part] ?? []).map((service) => services.begin(service)));
    await Promise.all((end?.[part] ?? []).map((service) => services.end(service, "stop")));
    const side = part % 2 === 0 ? "publisher" : "both";
    const killed = (async () => {
      for (const service of kill?.[part] ?? []) {
        await services.end(service, "kill");
        await services.begin(service);
      }
    })();
    const asked = stories.map(async (story) => {
      if (part === 2) for (const request of story.history.givesBack()) await story.ask(request);
      for (let step = 0; step < STEPS; step++) {
        const request = story.history.next(side);
        if (!WITHOUT.has(request.kind)) await story.ask(request);
      }
    });
    await Promise.all([killed, ...asked]);
  }
  await Promise.all((begin?.[5] ?? []).map((service) => services.begin(service)));
  await services.rest();
}

function log(line: object): void {
  if (MODEL_LOG !== undefined) appendFileSync(MODEL_LOG, `${JSON.stringify(line)}\n`);
}
