import { isDeepStrictEqual } from "node:util";
import { DiscardPolicy, StorageType, type StreamConfig, type StreamInfo } from "@nats-io/jetstream";
import { FLOW, type Hop } from "#contract";
import type { Stream } from "../connection/connect.ts";
import { partitionsOf, streamName } from "./stream-names.ts";
import {
  PARTITIONS_KEY,
  RETENTION,
  roomOf,
  settingsOf,
  streamInfo,
  type TopologyOptions,
} from "./topology.ts";

/** A stream that differs from `FLOW` and the settings. */
interface StreamFinding {
  /**
   * warn: it repairs itself, or a start repairs it. fail: services refuse to start, or it can lose messages.
   */
  readonly severity: "warn" | "fail";
  /** The fault and the advice. */
  readonly detail: string;
}

interface TopologyReport {
  /** The wanted and the existing number of streams. */
  readonly wanted: number;
  readonly present: number;
  readonly findings: readonly StreamFinding[];
  /** The server's clock, and when this process asked and got the answer (milliseconds since 1970). */
  readonly clock?: { readonly server: number; readonly asked: number; readonly answered: number };
}

/** Compares the streams with those that `ensureTopology` would make, and changes nothing. */
export async function inspectTopology(
  stream: Stream,
  options: TopologyOptions,
  now: () => number = Date.now,
): Promise<TopologyReport> {
  const findings: JudgedStream[] = [];
  const missing: string[] = [];
  let present = 0;
  let clock: TopologyReport["clock"];
  for (const hop of Object.values<Hop>(FLOW)) {
    for (const partition of partitionsOf(hop, options.partitions)) {
      const asked = now();
      const name = streamName(stream, hop, partition);
      const info = await streamInfo(stream, name);
      if (info === undefined) {
        missing.push(name);
        continue;
      }
      present++;
      const server = Date.parse((info as StreamInfo & { ts?: string }).ts ?? "");
      if (server > 0) clock = { server, asked, answered: now() };
      findings.push(...judge(hop, info, settingsOf(stream, hop, partition, options), options));
    }
  }
  const others = await findUnpartitioned(stream);
  // If another number of partitions is meant, the "missing" ones are not wanted: a migration would make them
  // for good.
  const isOtherNumber = findings.some(({ what }) => what.includes(MADE_WITH));
  if (missing.length > 0 && !isOtherNumber) {
    const detail = `missing ${missing.join(", ")}: \`stampede migrate\` or the first start of a service makes them`;
    others.push({ severity: "warn", detail });
  }
  const wanted = present + missing.length;
  return { wanted, present, findings: [...together(findings), ...others], ...(clock && { clock }) };
}

/** The fault of one stream; others may have the same. */
interface JudgedStream extends Pick<StreamFinding, "severity"> {
  readonly name: string;
  readonly what: string;
}

const MADE_WITH = "was made with";

/** One mistake is one line, however many streams have it. */
function together(judged: readonly JudgedStream[]): StreamFinding[] {
  const alike = new Map<string, JudgedStream[]>();
  for (const one of judged) alike.set(one.what, [...(alike.get(one.what) ?? []), one]);
  return [...alike.values()].map((streams) => {
    const [{ severity, name, what }, ...others] = streams as [JudgedStream, ...JudgedStream[]];
    if (others.length === 0) return { severity, detail: `${name} ${what}` };
    const more = `${others.length} other${others.length === 1 ? "" : "s"}`;
    return { severity, detail: `${name} and ${more}: each ${what}` };
  });
}

/**
 * Streams of an older release, from before their hops had partitions. Messages left in them have no reader.
 */
async function findUnpartitioned(stream: Stream): Promise<StreamFinding[]> {
  const findings: StreamFinding[] = [];
  for (const hop of Object.values<Hop>(FLOW).filter(({ link }) => link)) {
    const name = stream.prefix + hop.stream;
    const info = await streamInfo(stream, name);
    if (info === undefined) continue;
    const { messages } = info.state;
    const detail = `${name} is of an older release and read no more: `;
    findings.push(
      messages === 0
        ? { severity: "warn", detail: `${detail}delete it (nats stream rm ${name})` }
        : {
            severity: "fail",
            detail: `${detail}let that release handle its ${messages} messages, then delete it`,
          },
    );
  }
  return findings;
}

function judge(
  hop: Hop,
  { config, cluster }: StreamInfo,
  wanted: ReturnType<typeof settingsOf>,
  options: TopologyOptions,
): JudgedStream[] {
  const { name } = config;
  const fail = (what: string): JudgedStream[] => [{ severity: "fail", name, what }];
  const warn = (what: string): JudgedStream => ({ severity: "warn", name, what });
  const made = config.metadata?.[PARTITIONS_KEY];
  if (hop.partitioned && made !== undefined && made !== String(options.partitions)) {
    return fail(
      `${MADE_WITH} ${made} partitions, not ${options.partitions}: set STAMPEDE_PARTITIONS=${made}, or drain and delete the streams first`,
    );
  }
  if (config.retention !== RETENTION) {
    return fail(
      `has retention ${config.retention}, not ${RETENTION}, which NATS cannot change: stop all processes and delete it`,
    );
  }
  if (config.storage !== StorageType.File) {
    return fail(
      "is kept in memory and is lost when the server ends: drain it, delete it, and let the next start " +
        "make it again",
    );
  }
  if (hop.full === "refuse" && config.discard !== DiscardPolicy.New) {
    return fail("drops its oldest messages when it is full: set its discard policy to new");
  }
  const findings: JudgedStream[] = [];
  const { replicas = 1 } = options;
  if (config.num_replicas < replicas) {
    findings.push(
      warn(`has ${config.num_replicas} copies, not ${replicas}: the next start of a service adds them`),
    );
  }
  const behind = (cluster?.replicas ?? []).filter((peer) => !peer.current).map((peer) => peer.name);
  if (behind.length > 0) findings.push(warn(`has copies that are not up to date, on ${behind.join(", ")}`));
  if (cluster !== undefined && config.num_replicas > 1 && !cluster.leader)
    findings.push(...fail("has no leader"));
  for (const [key, value] of Object.entries(wanted)) {
    const is = config[key as keyof StreamConfig];
    if (key === "metadata" || isDeepStrictEqual(is, value)) continue;
    const setting = key === "max_bytes" ? ` (${roomOf(hop, options).setting})` : "";
    findings.push(
      warn(
        `has ${key} ${JSON.stringify(is)}, not ${JSON.stringify(value)}${setting}: the next start of a service changes it`,
      ),
    );
  }
  return findings;
}
