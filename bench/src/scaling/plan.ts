import { LIMITS } from "#contract";
import { type CostModel, type Load, microsOf, type PartName } from "./costs.ts";

/** What a plan is made for and of. None of it is measured: put your own in its place. */
export const TERMS = {
  /** Events in a request. */
  size: 500,
  matchedShare: 0.1,
  /** How busy anything may be: the rest is for the peak, the rolling restart and the process that died. */
  busy: 0.6,
  /** Of one installation; as many writers work on them, `writers` in each ingest process. */
  partitions: 16,
  writers: 2,
  replicas: 3,
  natsCores: 8,
  databaseCores: 16,
  /**
   * Until most copies of a message are on disk, where disks and network are good. This machine's own disk says nothing about
   * theirs, and R3 has a network between its copies.
   */
  syncMs: 0.5,
  /**
   * Between messages of one edge to one partition, and between batches of one partition, under load. Nothing spaces them but
   * that the one before must be stored, or written, and that the processes are busy: with 512 callers of single events on the
   * measured machine messages are 11 ms apart. Here it is less, as more cores would make it.
   */
  messageTurnMs: 4,
  batchTurnMs: 10,
} as const;

/** Something that an installation has one of, or so many of, and how much of it a plan uses. */
interface Bound {
  readonly name: string;
  /** 1: all of it. */
  readonly used: number;
}

/** One installation at one rate. */
export interface Plan {
  readonly eventsPerSecond: number;
  readonly edges: number;
  readonly ingests: number;
  readonly platforms: number;
  readonly rewards: number;
  readonly webhooks: number;
  readonly natsNodes: number;
  /** Cores that are busy. */
  readonly natsCores: number;
  readonly databaseCores: number;
  readonly platformDatabaseCores: number;
  readonly messagesPerSecond: number;
  readonly batchesPerSecond: number;
  /** What no further process helps against, the nearest first. */
  readonly bounds: readonly Bound[];
}

/** Parts whose backends work on the publisher's database. */
const PUBLISHER_DATABASE: readonly PartName[] = [
  "edge database",
  "ingest database",
  "rewards database",
  "webhooks database",
  "database background",
];

/** What one installation takes for so many events a second: each part's cost times its load, over what may be busy. */
export function planInstallation(costs: CostModel, eventsPerSecond: number): Plan {
  // Each further edge makes messages emptier, and so costs the others: as few as keep theirs within what may be busy.
  let edges = 1;
  while (processesOf(costs, "edge", loadOf(eventsPerSecond, edges)) > edges) edges++;
  const load = loadOf(eventsPerSecond, edges);
  const processes = (part: PartName) => processesOf(costs, part, load);
  const natsCores = coresOf(costs, "nats", load) * TERMS.replicas;
  const databaseCores = PUBLISHER_DATABASE.reduce((sum, part) => sum + coresOf(costs, part, load), 0);
  return {
    ...{ eventsPerSecond, edges },
    ingests: TERMS.partitions / TERMS.writers,
    platforms: processes("platform"),
    rewards: processes("rewards"),
    webhooks: processes("webhooks"),
    natsNodes: Math.max(TERMS.replicas, Math.ceil(natsCores / TERMS.busy / TERMS.natsCores)),
    ...{ natsCores, databaseCores },
    platformDatabaseCores: coresOf(costs, "platform database", load),
    messagesPerSecond: load.message,
    batchesPerSecond: load.batch,
    bounds: boundsOf(costs, load, databaseCores).toSorted((a, b) => b.used - a.used),
  };
}

const INSTALLATIONS_MAX = 100;

/** As few equal installations, each with organisations of its own, as keep every bound of one within what may be busy. */
export function planInstallations(costs: CostModel, eventsPerSecond: number) {
  for (let installations = 1; ; installations++) {
    const each = planInstallation(costs, eventsPerSecond / installations);
    if (isWithin(each, TERMS.busy) || installations === INSTALLATIONS_MAX) return { installations, each };
  }
}

function isWithin({ bounds }: Plan, share: number): boolean {
  return bounds.every(({ used }) => used <= share);
}

const STEP = 10_000;
const RATE_MAX = 5_000_000;

/** Events a second, in steps, that use so much of a bound of one installation; undefined: more than anybody asks for. */
export function rateAt(costs: CostModel, bound: string, share: number): number | undefined {
  for (let rate = STEP; rate <= RATE_MAX; rate += STEP) {
    const { bounds } = planInstallation(costs, rate);
    if (bounds.some(({ name, used }) => name === bound && used >= share)) return rate;
  }
  return undefined;
}

/**
 * Requests are cut by partition, and what comes for one while the edge's last message to it is under way goes into the next
 * message together; messages of a partition that come while a batch of it is under way go into the next batch.
 */
function loadOf(eventsPerSecond: number, edges: number): Required<Load> {
  const { size, partitions, messageTurnMs, batchTurnMs, matchedShare } = TERMS;
  const slicesPerRequest = partitions * (1 - (1 - 1 / partitions) ** size);
  const pairs = edges * partitions;
  const slices = ((eventsPerSecond / size) * slicesPerRequest) / pairs;
  const fullMessages = eventsPerSecond / pairs / LIMITS.eventsPerMessage;
  const message = pairs * Math.max(gathered(slices, messageTurnMs), fullMessages);
  const fullBatches = eventsPerSecond / partitions / LIMITS.rowsPerBatch;
  const batch = partitions * Math.max(gathered(message / partitions, batchTurnMs), fullBatches);
  return {
    ...{ event: eventsPerSecond, request: eventsPerSecond / size, message, batch },
    match: eventsPerSecond * matchedShare,
  };
}

/** How many leave a second where so many come and each waits for the turn of the one before it. */
function gathered(perSecond: number, turnMs: number): number {
  return perSecond / (1 + (perSecond * turnMs) / 1000);
}

function coresOf(costs: CostModel, part: PartName, load: Load): number {
  return microsOf(costs[part], load) / 1e6;
}

/** Cores of the busiest thread, were it one process: the thread that runs our code, or all others taken as one. */
function threadCoresOf(costs: CostModel, part: PartName, load: Load): number {
  const { mainShare } = costs[part];
  return coresOf(costs, part, load) * Math.max(mainShare, 1 - mainShare);
}

function processesOf(costs: CostModel, part: PartName, load: Load): number {
  return Math.max(1, Math.ceil(threadCoresOf(costs, part, load) / TERMS.busy));
}

function boundsOf(costs: CostModel, load: Required<Load>, databaseCores: number): Bound[] {
  const { partitions, writers, syncMs, batchTurnMs } = TERMS;
  // A writer hashes, decides, writes and syncs one batch after the other.
  const writing =
    coresOf(costs, "ingest", load) + coresOf(costs, "ingest database", load) + (load.batch * syncMs) / 1000;
  const messagesInTurn = ((load.message / partitions) * (batchTurnMs + syncMs)) / 1000;
  return [
    { name: "a partition's one batch at a time", used: writing / partitions },
    {
      name: "the busiest thread of an ingest process",
      used: threadCoresOf(costs, "ingest", load) / (partitions / writers),
    },
    {
      name: `${LIMITS.messagesAhead} messages of a partition under way`,
      used: messagesInTurn / LIMITS.messagesAhead,
    },
    { name: "syncs of one ingest stream", used: ((load.message / partitions) * syncMs) / 1000 },
    { name: "syncs of one stream PLATFORM_TX", used: ((load.batch / partitions) * syncMs) / 1000 },
    { name: `one PostgreSQL of ${TERMS.databaseCores} cores`, used: databaseCores / TERMS.databaseCores },
  ];
}
