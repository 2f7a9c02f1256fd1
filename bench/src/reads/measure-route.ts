import { findBest } from "../find-best.ts";
import { median } from "../results.ts";
import type { Subject } from "../subjects/subject.ts";
import type { ReadContender } from "./options.ts";
import type { ReadRoute } from "./read-plan.ts";
import type { ReadsArena } from "./reads-arena.ts";
import { type ReadRun, type ReadsMeasured, type ReadsResults, verifyRun } from "./results.ts";

/** The first is what `--quick` takes. */
const CONNECTIONS = [64, 32, 128, 256];
const PEER_POOLS = [8, 4, 6];
const PROBE_WARM_UP_SECONDS = 1;

interface Ready {
  readonly contender: ReadContender;
  readonly subject: Subject;
  readonly connections: number;
  readonly setting: string;
}

/** Every contender set up at its best, then repetitions in turn, so that a slow minute meets all of them. */
export async function measureRoute(
  arena: ReadsArena,
  results: ReadsResults,
  route: ReadRoute,
): Promise<void> {
  const { contenders, repetitions, seconds, warmUpSeconds } = arena.options;
  arena.say(`${route}: finding the best settings`);
  const ready: Ready[] = [];
  for (const contender of contenders) ready.push(await makeReady(arena, results, route, contender));
  const runs = ready.map((): ReadRun[] => []);
  for (let repetition = 1; repetition <= repetitions; repetition++) {
    arena.say(`${route}: ${repetition} of ${repetitions}`);
    for (const [i, { contender, subject, connections }] of ready.entries()) {
      const run = await arena.load(subject, { route, connections, seconds, warmUpSeconds });
      verifyRun(results, contender, run);
      runs[i]?.push(run);
    }
  }
  for (const { subject } of ready) await subject.stop();
  results.measured.push(...ready.map((one, i) => summarise(one, route, runs[i] ?? [])));
}

async function makeReady(
  arena: ReadsArena,
  results: ReadsResults,
  route: ReadRoute,
  contender: ReadContender,
): Promise<Ready> {
  const { probeSeconds } = arena.options;
  const [firstPool = 8] = PEER_POOLS;
  const [firstConnections = 64] = CONNECTIONS;
  const probe = async (subject: Subject, connections: number): Promise<number> => {
    const shape = { route, connections, seconds: probeSeconds, warmUpSeconds: PROBE_WARM_UP_SECONDS };
    const run = await arena.load(subject, shape);
    verifyRun(results, contender, run);
    return run.figures.perSecond;
  };
  const withPool = async (pool: number): Promise<number> => {
    const subject = await arena.start(contender, pool);
    try {
      return await probe(subject, firstConnections);
    } finally {
      await subject.stop();
    }
  };
  const triesPools = contender === "peer" && probeSeconds > 0;
  const pool = triesPools ? (await findBest(PEER_POOLS, withPool)).best : firstPool;
  const subject = await arena.start(contender, pool);
  const candidates = probeSeconds > 0 ? CONNECTIONS.toSorted((a, b) => a - b) : [firstConnections];
  const { best: connections } = await findBest(candidates, (candidate) => probe(subject, candidate));
  const setting = `${connections} connections${contender === "peer" ? `, pool of ${pool}` : ""}`;
  return { contender, subject, connections, setting };
}

function summarise({ contender, setting }: Ready, route: ReadRoute, runs: readonly ReadRun[]): ReadsMeasured {
  const run = median(runs, ({ figures }) => figures.perSecond);
  return {
    route,
    contender,
    setting,
    requestsPerSecond: run.figures.perSecond,
    p50: median(runs, ({ figures }) => figures.latency.p50).figures.latency.p50,
    p99: median(runs, ({ figures }) => figures.latency.p99).figures.latency.p99,
    repetitions: runs.map(({ figures }) => figures.perSecond),
    run,
  };
}
