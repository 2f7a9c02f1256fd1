import { SeededRandom } from "#domain";
import { percentiles } from "../../kit/timeline.ts";
import { Edge, type Request } from "./edge.ts";
import { Clock, Machines } from "./host.ts";
import { Followers, IngestLane, laneWork } from "./ingest.ts";
import { Nats } from "./nats.ts";
import type { SimulationSetting } from "./setting.ts";

export interface Simulated {
  readonly eventsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly eventsPerMessage: number;
  readonly eventsPerBatch: number;
  /** Cores that each part kept busy. */
  readonly cores: Readonly<Record<string, number>>;
  /** Events that were offered and not answered at the end: rising with time where something cannot keep up. */
  readonly openEvents: number;
}

/**
 * Runs the pipeline in simulated time: every request, packed message and batch, with the batching rules of the code and the
 * CPU time that was measured for each. Equal settings give equal results.
 */
export function simulate(setting: SimulationSetting): Simulated {
  const clock = new Clock();
  const machines = new Machines(setting, clock);
  const random = new SeededRandom(setting.seed);
  const nats = new Nats(setting, clock, machines);
  const lanes = buildLanes(setting, clock, machines, nats);
  const edges = buildEdges(setting, clock, machines, nats, lanes);
  const startMs = setting.warmUpSeconds * 1000;
  const endMs = startMs + setting.seconds * 1000;
  const latencies: number[] = [];
  let answeredEvents = 0;
  let openEvents = 0;
  const { partitions } = setting.topology;
  const send = (edge: Edge, size: number, then: () => void): void => {
    const startedMs = clock.nowMs;
    openEvents += size;
    const answered = (): void => {
      openEvents -= size;
      if (clock.nowMs >= startMs) {
        answeredEvents += size;
        latencies.push(clock.nowMs - startedMs);
      }
      then();
    };
    const request: Request = { size, open: size, answered };
    edge.take(request, spread(random, size, partitions));
  };
  offer(setting, clock, machines, random, { edges, send });
  clock.run(startMs);
  const before = machines.worked();
  const counts = { messages: nats.messages, batches: countBatches(lanes) };
  clock.run(endMs);
  const worked = machines.worked();
  const messages = nats.messages - counts.messages;
  const batches = countBatches(lanes) - counts.batches;
  const spent = [...worked].map(
    ([part, ms]) => [part, (ms - (before.get(part) ?? 0)) / (endMs - startMs)] as const,
  );
  const { p50, p99 } = percentiles(Float64Array.from(latencies));
  return {
    eventsPerSecond: answeredEvents / setting.seconds,
    ...{ p50Ms: p50, p99Ms: p99 },
    eventsPerMessage: messages === 0 ? 0 : answeredEvents / messages,
    eventsPerBatch: batches === 0 ? 0 : answeredEvents / batches,
    cores: Object.fromEntries(spent),
    openEvents,
  };
}

type Lanes = readonly IngestLane[];
const countBatches = (lanes: Lanes): number => lanes.reduce((sum, lane) => sum + lane.batches, 0);

function coresOf({ topology: { machines } }: SimulationSetting, kind: "process" | "nats" | "shard"): number {
  return machines.kind === "apart" ? machines[`${kind}Cores`] : 0;
}

/** Partition p is of process p % ingests, and there of lane p % writers. In services/ingest any lane takes any partition. */
function buildLanes(setting: SimulationSetting, clock: Clock, machines: Machines, nats: Nats): Lanes {
  const { ingests, writers, shards } = setting.topology;
  const followers = new Followers(setting, machines);
  const numbers = Array.from({ length: shards }, (_, shard) => shard);
  const onShard = (part: "ingest database" | "database background") =>
    numbers.map((shard) => machines.thread(part, `shard ${shard}`, coresOf(setting, "shard")));
  const backgrounds = onShard("database background");
  return Array.from({ length: ingests }, (_, at) => {
    const thread = () => machines.thread("ingest", `ingest ${at}`, coresOf(setting, "process"));
    const [main, rest] = [thread(), thread()];
    return Array.from({ length: writers }, () => {
      const threads = { main, rest, backends: onShard("ingest database"), backgrounds };
      return new IngestLane(clock, laneWork(setting, clock, threads, { followers, nats }));
    });
  }).flat();
}

function buildEdges(
  setting: SimulationSetting,
  clock: Clock,
  machines: Machines,
  nats: Nats,
  lanes: Lanes,
): Edge[] {
  const { edges, ingests, writers } = setting.topology;
  const laneOf = (partition: number): IngestLane => {
    const process = partition % ingests;
    const writer = Math.floor(partition / ingests) % writers;
    return lanes[process * writers + writer] as IngestLane;
  };
  return Array.from({ length: edges }, (_, at) => {
    const thread = () => machines.thread("edge", `edge ${at}`, coresOf(setting, "process"));
    return new Edge(setting, clock, { main: thread(), rest: thread() }, (partition, message, stored) => {
      nats.store(partition, message.events, message.events * setting.matchedShare, () => {
        stored();
        laneOf(partition).offer(partition, message);
      });
    });
  });
}

interface Offering {
  readonly edges: readonly Edge[];
  readonly send: (edge: Edge, size: number, then: () => void) => void;
}

function offer(
  { load }: SimulationSetting,
  clock: Clock,
  machines: Machines,
  random: SeededRandom,
  { edges, send }: Offering,
): void {
  const next = (): Edge => edges[random.between(0, edges.length - 1)] as Edge;
  if (load.kind === "closed") {
    const generator = machines.thread("generator", "generator", 1);
    const round = (): void => generator.do(load.generatorMicros / 1000, () => send(next(), load.size, round));
    for (let connection = 0; connection < load.connections; connection++) round();
    return;
  }
  const meanMs = (1000 * load.size) / load.eventsPerSecond;
  const arrive = (): void => {
    send(next(), load.size, () => {});
    clock.after(-Math.log(1 - random.next()) * meanMs, arrive);
  };
  clock.after(0, arrive);
}

/** Each event goes to a partition by chance, as a hash of its key sends it. */
function spread(random: SeededRandom, size: number, partitions: number): Map<number, number> {
  const counts = new Map<number, number>();
  for (let event = 0; event < size; event++) {
    const partition = random.between(0, partitions - 1);
    counts.set(partition, (counts.get(partition) ?? 0) + 1);
  }
  return counts;
}
