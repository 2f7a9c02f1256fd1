import { LIMITS } from "#contract";
import { type CostModel, type Load, microsOf, type PartName } from "./costs.ts";
import type { Topology } from "./simulation/setting.ts";
import { BATCH_TURN_MS, MESSAGE_TURN_MS } from "./turns.ts";

/** What a plan is made for and of; none of it is measured. */
interface PlanTerms {
  readonly eventsPerSecond: number;
  /** Events in a request. */
  readonly size: number;
  readonly matchedShare: number;
  /** How busy the busiest thread of a process and the cores of a server may be. */
  readonly busy: number;
  readonly writers: number;
  readonly replicas: number;
  readonly natsCores: number;
  readonly shardCores: number;
}

export const TERMS: Omit<PlanTerms, "eventsPerSecond"> = {
  size: 500,
  matchedShare: 0.1,
  busy: 0.6,
  writers: 2,
  replicas: 3,
  natsCores: 8,
  shardCores: 16,
};

/**
 * Milliseconds until most copies of a message are on disk, where disks and network are good and nothing else is in their way.
 * Not measured: this machine's own disk says nothing about theirs, and R3 has a network between its copies.
 */
export const PLAN_SYNC_MS = 0.5;

export interface Plan {
  readonly terms: PlanTerms;
  readonly edges: number;
  readonly ingests: number;
  readonly partitions: number;
  readonly platforms: number;
  readonly rewards: number;
  readonly webhooks: number;
  readonly natsNodes: number;
  /** Publisher's database. */
  readonly databaseCores: number;
  readonly shards: number;
  readonly platformDatabaseCores: number;
  readonly natsCoresBusy: number;
  readonly eventsPerMessage: number;
  readonly messagesPerSecond: number;
  readonly eventsPerBatch: number;
  readonly batchesPerSecond: number;
  /** How much of each bound is used, the nearest first: what saturates when it reaches 1. */
  readonly bounds: readonly { readonly name: string; readonly used: number }[];
}

const PARTITIONS_MAX = 256;
const INSTALLATIONS_MAX = 100;
const ROUNDS = 50;
/** Where a batch costs each shard more than it takes off the others, no number of them is enough. */
const SHARDS_MAX = 64;
/** Parts whose backends work on the publisher's database. */
const PUBLISHER_DATABASE: readonly PartName[] = [
  "edge database",
  "ingest database",
  "rewards database",
  "webhooks database",
  "database background",
];

/**
 * How many of everything so many events a second take. Processes decide how full messages and batches are, and these what a
 * process can do, so it is gone round until nothing changes.
 */
export function planCapacity(costs: CostModel, terms: PlanTerms): Plan {
  let plan = planRound(costs, terms, {
    eventsPerMessage: LIMITS.eventsPerMessage,
    eventsPerBatch: LIMITS.rowsPerBatch,
    shards: 1,
  });
  for (let round = 0; round < ROUNDS; round++) plan = planRound(costs, terms, plan);
  return plan;
}

/** Equal installations, each with organisations of its own: as few as keep every bound of one within `busy`. */
export interface PlanOfAll {
  readonly installations: number;
  readonly each: Plan;
}

export function planInstallations(costs: CostModel, terms: PlanTerms): PlanOfAll {
  for (let installations = 1; ; installations++) {
    const each = planCapacity(costs, { ...terms, eventsPerSecond: terms.eventsPerSecond / installations });
    const nearest = each.bounds[0]?.used ?? 0;
    if (nearest <= terms.busy || installations === INSTALLATIONS_MAX) return { installations, each };
  }
}

/** What one installation can be planned for at most. */
interface Limit {
  readonly syncMs: number;
  readonly eventsPerSecond: number;
  /** The bound that is in the way of more. */
  readonly bound: string;
}

const STEP = 1.1;
const RATE_MIN = 10_000;
const RATE_MAX = 10_000_000;

/** The largest rate whose bounds are all within `busy`, on disks that sync so fast. Nothing is said of how many machines it takes. */
export function limitOf(costs: CostModel, terms: Omit<PlanTerms, "eventsPerSecond">, syncMs: number): Limit {
  const nearestAt = (eventsPerSecond: number) =>
    planCapacity({ ...costs, syncMs }, { ...terms, eventsPerSecond }).bounds[0];
  let eventsPerSecond = RATE_MIN;
  for (;;) {
    const next = nearestAt(eventsPerSecond * STEP);
    if (next === undefined || next.used > terms.busy || eventsPerSecond > RATE_MAX)
      return { syncMs, eventsPerSecond, bound: next?.name ?? "" };
    eventsPerSecond *= STEP;
  }
}

type Batching = Pick<Plan, "eventsPerMessage" | "eventsPerBatch" | "shards">;

function planRound(costs: CostModel, terms: PlanTerms, before: Batching): Plan {
  const { eventsPerSecond: events, size, matchedShare, busy, writers, replicas } = terms;
  const load: Load = {
    event: events,
    request: events / size,
    message: events / before.eventsPerMessage,
    batch: events / before.eventsPerBatch,
    match: events * matchedShare,
  };
  const cores = (part: PartName, of: Load = load): number => microsOf(costs.parts[part], of) / 1e6;
  /** By the busiest thread: the one that runs our code, or all others taken as one. */
  const processes = (part: PartName): number => {
    const { mainShare } = costs.parts[part];
    return Math.max(1, Math.ceil((cores(part) * Math.max(mainShare, 1 - mainShare)) / busy));
  };
  const edges = processes("edge");
  // A writer hashes, decides, writes and syncs one batch after the other; a shard has its part of the rows.
  const onShard = { ...load, event: events / before.shards, match: (events * matchedShare) / before.shards };
  const serial =
    cores("ingest") + cores("ingest database", onShard) + ((load.batch as number) * costs.syncMs) / 1000;
  // A power of two, so that each process has as many partitions as the others.
  const ingests =
    2 ** Math.ceil(Math.log2(Math.max(processes("ingest"), Math.ceil(serial / busy / writers))));
  const lanes = ingests * writers;
  const partitions = Math.min(PARTITIONS_MAX, lanes);
  const packed = packing(terms, { edges, partitions, lanes, syncMs: costs.syncMs });
  const natsCoresBusy = cores("nats") * replicas;
  // Each batch is a statement on every shard that it touches, and that is all of them.
  const publisher = { ...load, batch: (load.batch as number) * before.shards };
  const databaseCores = PUBLISHER_DATABASE.reduce((sum, part) => sum + cores(part, publisher), 0);
  const shards = Math.min(SHARDS_MAX, Math.max(1, Math.ceil(databaseCores / busy / terms.shardCores)));
  return {
    terms,
    ...{ edges, ingests, partitions },
    platforms: processes("platform"),
    rewards: processes("rewards"),
    webhooks: processes("webhooks"),
    natsNodes: Math.max(replicas, Math.ceil(natsCoresBusy / busy / terms.natsCores)),
    ...{ databaseCores, shards, natsCoresBusy },
    platformDatabaseCores: cores("platform database"),
    ...packed,
    bounds: boundsOf(terms, serial / lanes, {
      ...packed,
      edges,
      ingests,
      partitions,
      lanes,
      shards,
      syncMs: costs.syncMs,
    }),
  };
}

interface Layout {
  readonly edges: number;
  readonly partitions: number;
  readonly lanes: number;
  readonly syncMs: number;
}

/**
 * How full messages and batches are. Each edge packs for each partition by itself: a message leaves when there is something
 * to send and the one before it left `MESSAGE_TURN_MS` ago and is stored. A lane begins a batch `BATCH_TURN_MS` after
 * the one before it at the soonest.
 */
function packing({ eventsPerSecond, size }: PlanTerms, { edges, partitions, lanes, syncMs }: Layout) {
  const slicesPerRequest = partitions * (1 - (1 - 1 / partitions) ** size);
  const slices = ((eventsPerSecond / size) * slicesPerRequest) / (edges * partitions);
  const spacing = Math.max(MESSAGE_TURN_MS, syncMs) / 1000;
  const perPair = Math.max(
    slices / (1 + slices * spacing),
    eventsPerSecond / (edges * partitions) / LIMITS.eventsPerMessage,
  );
  const messagesPerSecond = perPair * edges * partitions;
  const turn = Math.max(BATCH_TURN_MS, 2 * syncMs) / 1000;
  const perLane = messagesPerSecond / lanes;
  const batches = Math.max(perLane / (1 + perLane * turn), eventsPerSecond / lanes / LIMITS.rowsPerBatch);
  const batchesPerSecond = batches * lanes;
  return {
    messagesPerSecond,
    eventsPerMessage: eventsPerSecond / messagesPerSecond,
    batchesPerSecond,
    eventsPerBatch: eventsPerSecond / batchesPerSecond,
  };
}

function boundsOf(
  { eventsPerSecond, writers }: PlanTerms,
  writerBusy: number,
  at: Layout & ReturnType<typeof packing> & Pick<Plan, "ingests" | "shards">,
) {
  const { partitions, syncMs, messagesPerSecond, batchesPerSecond, eventsPerMessage, ingests } = at;
  const turn = (Math.max(BATCH_TURN_MS, 2 * syncMs) + syncMs) / 1000;
  const bounds = [
    { name: "a writer's one batch at a time", used: writerBusy },
    { name: `${PARTITIONS_MAX} partitions, one for each writer`, used: (ingests * writers) / PARTITIONS_MAX },
    {
      name: `${LIMITS.messagesAhead} messages of a partition under way`,
      used: ((eventsPerSecond / partitions) * turn) / (LIMITS.messagesAhead * eventsPerMessage),
    },
    { name: "syncs of one ingest stream", used: ((messagesPerSecond / partitions) * syncMs) / 1000 },
    { name: "syncs of the one stream PLATFORM_TX", used: (batchesPerSecond * syncMs) / 1000 },
    {
      name: "batches of full size in all writers",
      used: (eventsPerSecond / at.lanes) * (turn / LIMITS.rowsPerBatch),
    },
  ];
  return bounds.toSorted((a, b) => b.used - a.used);
}

/** For the simulation: a machine of two cores for each process. */
export function topologyOfPlan(plan: Plan): Topology {
  const { terms } = plan;
  return {
    ...{ edges: plan.edges, partitions: plan.partitions, ingests: plan.ingests, writers: terms.writers },
    followers: Math.max(plan.platforms, plan.rewards, plan.webhooks),
    ...{ natsNodes: plan.natsNodes, replicas: terms.replicas, shards: plan.shards },
    machines: { kind: "apart", processCores: 2, natsCores: terms.natsCores, shardCores: terms.shardCores },
  };
}
