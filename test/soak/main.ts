/**
 * `npm run soak -- --minutes 30 --seed 1`: the whole loop under kills, freezes and broken connections of everything, and
 * then an audit of every answer. Exits 0 if all of it holds, 1 if something does not, 130 at Ctrl-C.
 */
import { parseArgs } from "node:util";
import type { ServiceName } from "#test-support";
import { FAULT_KINDS, type FaultKind } from "./fault-plan.ts";
import { SERVICES } from "./installation.ts";
import { runSoak } from "./soak.ts";

const USAGE = `npm run soak -- [options]
  --minutes <n>      of load and faults; the audit comes on top (default 30)
  --seed <n>         of the load and of the plan of faults (default: of the time)
  --restore          instead: databases that go back under load, while NATS keeps its own
  --restores <n>     how often (default 20)
  --round <n>        seconds of load and faults between a backup and its use (default 30)
  --rate <n>         events a second at most (default 200)
  --faults <list>    none, or only these kinds: ${FAULT_KINDS.join(",")}
  --services <list>  only processes of these, and their connections: ${SERVICES.join(",")}
  --keep             keep logs and lists even where nothing is wrong
`;
const INTERRUPTED = 130;
const PROBLEMS_SHOWN = 12;
/** The time between two restores; programs change every seven. */
const CALM_SECONDS = 10;

const interrupt = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => interrupt.abort());
const say = (line: string): void => void process.stdout.write(`soak: ${line}\n`);

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: "30" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      restore: { type: "boolean", default: false },
      restores: { type: "string", default: "20" },
      round: { type: "string", default: "30" },
      rate: { type: "string", default: "200" },
      faults: { type: "string" },
      services: { type: "string" },
      keep: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const [seconds, seed, rate] = [Number(values.minutes) * 60, Number(values.seed), Number(values.rate)];
  const restores = values.restore
    ? { count: Number(values.restores), calmSeconds: CALM_SECONDS, roundSeconds: Number(values.round) }
    : undefined;
  const kinds = (values.faults === "none" ? [] : values.faults?.split(",")) as FaultKind[] | undefined;
  const services = values.services?.split(",") as ServiceName[] | undefined;
  const isUnknown =
    kinds?.some((kind) => !FAULT_KINDS.includes(kind)) ||
    services?.some((service) => !SERVICES.includes(service));
  const isWrong =
    restores !== undefined &&
    !(Number.isInteger(restores.count) && restores.count > 0 && restores.roundSeconds > 0);
  if (values.help || !(seconds > 0) || !Number.isInteger(seed) || !(rate > 0) || isUnknown || isWrong) {
    process.stderr.write(USAGE);
    return values.help ? 0 : 1;
  }
  try {
    const { keep } = values;
    const { summary, explained } = await runSoak({
      seed,
      seconds,
      restores,
      faults: { kinds, services },
      rate,
      keep,
      say,
      signal: interrupt.signal,
    });
    for (const text of explained.slice(0, PROBLEMS_SHOWN)) process.stdout.write(`\n${text}\n`);
    process.stdout.write(`\n${JSON.stringify(summary, null, 2)}\n${JSON.stringify(summary)}\n`);
    say(summary.problems === 0 ? "everything holds" : `${summary.problems} problems; see ${summary.folder}`);
    return summary.problems === 0 ? 0 : 1;
  } catch (error) {
    if (interrupt.signal.aborted) {
      say("interrupted");
      return INTERRUPTED;
    }
    process.stderr.write(`soak: ${(error as Error).stack}\n`);
    return 1;
  }
}
