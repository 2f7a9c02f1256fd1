import { FLOW, type Hop } from "#contract";
import { type Change, sumOf } from "./change.ts";
import { HOP_SERVICES, type HopService, streamsOf } from "./hop-services.ts";
import { type HopNumbers, NUMBERS, type NumbersOf, partitionIn } from "./service-numbers.ts";
import { refusedShare, standingNotes } from "./standing-notes.ts";

/**
 * - ready: it works. - not ready: it does not, or only in part; `notes` say why.
 * - down: none of its processes answers. - not asked: none of the addresses is one of its processes.
 */
export type HopState = "ready" | "not ready" | "down" | "not asked";

/** One hop of the pipeline at one moment: a line of the status. */
export interface HopStatus extends HopNumbers {
  readonly hop: string;
  readonly state: HopState;
  /** The partitions of each process, or the number of processes. */
  readonly owners: readonly string[];
}

/** Every hop, in the order in which a transaction passes them. */
export function readHops(change: Change): HopStatus[] {
  const [edge, ingest, ...others] = readServiceHops(change) as [HopStatus, HopStatus, ...HopStatus[]];
  return [edge, streamHop(change), ingest, databaseHop(change), ...others];
}

/** The hops that are services, in the order in which a transaction passes them. */
export function readServiceHops(change: Change): HopStatus[] {
  return HOP_SERVICES.map((service) => serviceHop(change, service, NUMBERS[service]));
}

function serviceHop(change: Change, service: HopService, numbersOf: NumbersOf): HopStatus {
  const streams = streamsOf(service);
  const numbers = numbersOf(change, streams);
  const processes = change.count("stampede_ready", { service });
  const ready = change.sum("stampede_ready", { service });
  const standing = standingNotes(change, service);
  const notes = [...standing, ...(service === "edge" ? refusedShare(numbers) : []), ...numbers.notes];
  const isMoving = notes.length === numbers.notes.length;
  if (processes > ready) notes.push(`${processes - ready} of ${processes} processes not ready`);
  const [first] = streams;
  const { owners, missing } =
    first === undefined
      ? { owners: [processes === 1 ? "1 process" : `${processes} processes`], missing: 0 }
      : ownersOf(change, service, first);
  if (missing > 0 && processes > 0) notes.push(`${missing} partitions without an owner among those asked`);
  const absent: HopState = change.isWhole ? "down" : "not asked";
  const state =
    processes === 0 ? absent : ready < processes || missing > 0 || !isMoving ? "not ready" : "ready";
  return { hop: service, ...numbers, state, owners: processes === 0 ? [] : owners, notes };
}

/**
 * The partitions of each process: each shows the streams of those that it owns. These are sampled every few
 * seconds, so that a process that has just taken some over is shown with their number only.
 */
function ownersOf(change: Change, service: string, hop: Hop): { owners: string[]; missing: number } {
  const owners: string[] = [];
  for (const { url, scrape } of change.sources) {
    const owned = scrape.sum("stampede_partitions_owned", { service });
    if (owned === undefined) continue;
    const shown = scrape
      .samples("stampede_stream_messages", { service })
      .flatMap(({ labels }) => partitionIn(labels.stream, hop) ?? [])
      .sort((a, b) => Number(a) - Number(b));
    const count = owned === 1 ? "1 partition" : `${owned} partitions`;
    const which = shown.length === owned ? shown.join(",") : count;
    owners.push(`${owned === 0 ? "none" : which} at ${new URL(url).host}`);
  }
  const partitions = change.max("stampede_partitions", { service }) ?? 0;
  return { owners, missing: Math.max(0, partitions - change.sum("stampede_partitions_owned", { service })) };
}

/** NATS, from the processes' view. */
function streamHop(change: Change): HopStatus {
  const processes = change.count("stampede_nats_connected");
  const connected = change.sum("stampede_nats_connected");
  const isIngest = (stream: string) => partitionIn(stream, FLOW.ingest) !== undefined;
  const ages = change.byStream("stampede_stream_oldest_message_age_seconds", isIngest);
  const stored = { outcome: "stored" };
  const published = change.rate("stampede_edge_publishes_total", stored);
  const notes = [...fullest(change), ...deadLetters(change)];
  if (connected < processes) notes.push(`${processes - connected} of ${processes} processes not connected`);
  return {
    hop: "stream",
    state: stateOf(processes, connected === processes),
    rate: published,
    unit: "messages",
    lag: sumOf(change.byStream("stampede_stream_messages", isIngest).values()),
    waiting: "messages",
    oldestSeconds: ages.size === 0 ? undefined : Math.max(...ages.values()),
    errors: Math.max(0, change.rate("stampede_edge_publishes_total") - published),
    owners: [],
    notes,
  };
}

/** The stream with the least room, once it is more than half full: soon the edge answers 503, or ingest waits. */
function fullest(change: Change): string[] {
  const limits = change.byStream("stampede_stream_limit_bytes", () => true);
  const shares = [...change.byStream("stampede_stream_bytes", () => true)].map(
    ([stream, bytes]) => [stream, bytes / (limits.get(stream) ?? Number.POSITIVE_INFINITY)] as const,
  );
  const [name, share = 0] = shares.sort(([, a], [, b]) => b - a)[0] ?? [];
  return share > 0.5 ? [`${name} is ${Math.floor(share * 100)} % full`] : [];
}

function deadLetters(change: Change): string[] {
  const count = change.max("stampede_stream_messages", { stream: FLOW.dead.stream }) ?? 0;
  return count > 0 ? [`${count} dead letters`] : [];
}

/** PostgreSQL, from the processes' view. */
function databaseHop(change: Change): HopStatus {
  const processes = change.count("stampede_database_up");
  const up = change.sum("stampede_database_up");
  const ping = change.max("stampede_database_ping_seconds");
  const notes = ping === undefined ? [] : [`ping ${(ping * 1000).toFixed(1)} ms`];
  if (up < processes) notes.push(`${processes - up} of ${processes} processes do not reach it`);
  return {
    hop: "database",
    state: stateOf(processes, up === processes),
    rate: change.rate("stampede_database_statement_duration_seconds_count"),
    unit: "statements",
    lag: change.sum("stampede_database_pool_waiting"),
    waiting: "callers",
    oldestSeconds: undefined,
    errors: change.rate("stampede_database_errors_total", { class: ["bug", "unavailable"] }),
    owners: [],
    notes,
  };
}

function stateOf(processes: number, isGood: boolean): HopState {
  if (processes === 0) return "not asked";
  return isGood ? "ready" : "not ready";
}
