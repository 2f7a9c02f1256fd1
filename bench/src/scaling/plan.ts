import { LIMITS } from "#contract";
import { type CostModel, type Load, microsOf, type PartName } from "./costs.ts";

/** The assumptions of a plan. None of them is measured: put your own in their place. */
export const TERMS = {
  /** Events in a request. */
  size: 500,
  matchedShare: 0.1,
  /** How busy anything may be: the rest is for the peak, the rolling restart and a process that died. */
  busy: 0.6,
  /** Partitions of one installation; as many writers work on them, `writers` in each ingest process. */
  partitions: 16,
  writers: 2,
  replicas: 3,
  natsCores: 8,
  databaseCores: 16,
  /**
   * The time until most copies of a message are on disk, with good disks and network. This machine's own disk
   * says nothing about theirs, and R3 has a network between its copies.
   */
  syncMs: 0.5,
  /**
   * The time between messages of one edge to one partition, and between batches of one partition, under load.
   * Only the wait for the previous one, and busy processes, space them: with 512 callers of single events on
   * the measured machine messages are 11 ms apart. Here it is less, because of more cores.
   */
  messageTurnMs: 4,
  batchTurnMs: 10,
} as const;

/** A resource that an installation has in a fixed number, and the share that a plan uses. */
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
  /** The bounds that further processes do not raise, the nearest first. */
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

/**
 * The needs of one installation for this many events a second: each part's cost times its load, divided by
 * the allowed utilisation.
 */
export function planInstallation(costs: CostModel, eventsPerSecond: number): Plan {
  // Each further edge makes messages emptier, and so costs the others: so the fewest that stay within the
  // allowed utilisation.
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

/**
 * The fewest equal installations, each with its own organisations, that keep every bound of each within the
 * allowed utilisation.
 */
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

/**
 * Events a second, in steps, that use this share of a bound of one installation; undefined: above `RATE_MAX`.
 */
export function rateAt(costs: CostModel, bound: string, share: number): number | undefined {
  for (let rate = STEP; rate <= RATE_MAX; rate += STEP) {
    const { bounds } = planInstallation(costs, rate);
    if (bounds.some(({ name, used }) => name === bound && used >= share)) return rate;
  }
  return undefined;
}

/**
 * Requests are cut by partition, and everything for a partition that arrives while the edge's last message to
 * it is under way goes into the next message together; messages of a partition that arrive during a batch of
 * it go into the next batch.
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

/** How many are sent per second if this many arrive and each waits for the turn of the previous one. */
function gathered(perSecond: number, turnMs: number): number {
  return perSecond / (1 + (perSecond * turnMs) / 1000);
}

function coresOf(costs: CostModel, part: PartName, load: Load): number {
  return microsOf(costs[part], load) / 1e6;
}

/**
 * Cores of the busiest thread, if it were one process: the thread that runs JavaScript, or all others taken
 * as one.
 */
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
