import { existsSync, readFileSync, statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { FLOW, type Hop, LIMITS } from "#contract";
import { hasUws, uwsInstallCommand } from "#http";
import type { Settings } from "#runtime";
import { type Finding, fail, ok, warn } from "./finding.ts";

const MIB = 2 ** 20;
/** Files apart from connections to webhooks: requests, servers, files. */
const OTHER_FILES = 2_048;
/** With fewer, the edge refuses connections even under little load. */
const FEWEST_FILES = 1_024;
/** Disk for logs, PostgreSQL's own files and its write-ahead log (at most 2 GiB with the embedded settings). */
const BESIDE_STREAMS_BYTES = 3 * 2 ** 30;

/** Checks Node, the HTTP server, open files and the disk. */
export function* checkMachine(settings: Settings, wantedNode: string): Generator<Finding> {
  yield checkNode(wantedNode);
  yield checkAdapter(settings);
  yield checkOpenFiles(settings);
  yield checkDisk(settings);
}

/** @param wanted as in package.json, such as `>=20.18.1` */
export function checkNode(wanted: string, version: string = process.versions.node): Finding {
  const least = wanted.replace(/^>=/, "");
  if (compareVersions(version, least) >= 0) return ok("node", version);
  return fail("node", `${version} is too old: install ${least} or later`);
}

function compareVersions(a: string, b: string): number {
  const [as, bs] = [a, b].map((text) => text.split(".").map(Number));
  for (const [i, part] of (as ?? []).entries()) {
    const difference = part - (bs?.[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function checkAdapter({ httpAdapter }: Settings): Finding {
  const check = "http adapter";
  if (httpAdapter === "node") return ok(check, "node:http");
  if (hasUws()) return ok(check, "uWebSockets.js");
  const what = `uWebSockets.js has no binary for Node ${process.versions.node} here; ${uwsInstallCommand()} installs one`;
  return httpAdapter === "uws"
    ? fail(check, what)
    : warn(check, `${what}. node:http serves instead, more slowly`);
}

/** The limit of this process, as of others that are started in the same way. Node raises its soft limit to the hard one. */
export function checkOpenFiles({ webhookSlots }: Settings, limit = openFileLimit()): Finding {
  const check = "open files";
  if (limit === undefined) return ok(check, "unknown on this system");
  const wanted = webhookSlots + LIMITS.idleDeliveryConnections + OTHER_FILES;
  const doThis = `raise the hard limit (ulimit -Hn, LimitNOFILE=) to ${wanted} or more`;
  if (limit < FEWEST_FILES) return fail(check, `${limit} at most: ${doThis}`);
  if (limit < wanted) return warn(check, `${limit} at most, and a service may need ${wanted}: ${doThis}`);
  return ok(check, limit === Number.POSITIVE_INFINITY ? "unlimited" : `${limit} at most`);
}

function openFileLimit(): number | undefined {
  try {
    const [, soft] = /^Max open files +(\w+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === "unlimited" ? Number.POSITIVE_INFINITY : soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/** Checks the all-in-one's data directory alone; external servers have disks of their own. */
function checkDisk(settings: Settings): Finding {
  const check = "disk";
  const dir = existing(resolve(settings.dataDir));
  const { bavail, bsize } = statfsSync(dir);
  const free = bavail * bsize;
  const has = `${toMib(free)} MiB free at ${dir}`;
  if (settings.natsUrl !== undefined && settings.databaseUrl !== undefined) {
    return ok(check, `${has}; the servers are elsewhere`);
  }
  const streams = settings.natsUrl === undefined ? roomOfStreams(settings) : 0;
  const wanted = streams + (settings.databaseUrl === undefined ? BESIDE_STREAMS_BYTES : 0);
  if (free >= wanted) return ok(check, has);
  const what = `${has}, and streams and database may take ${toMib(wanted)} MiB`;
  const doThis =
    "free some, set STAMPEDE_DATA_DIR to a larger disk, or STAMPEDE_STREAM_MAX_BYTES and STAMPEDE_LINK_MAX_BYTES lower";
  return warn(check, `${what}: ${doThis}`);
}

function roomOfStreams({ partitions, streamMaxBytes, linkMaxBytes }: Settings): number {
  let bytes = 0;
  for (const hop of Object.values<Hop>(FLOW)) {
    bytes += hop.link ? linkMaxBytes : streamMaxBytes * (hop.partitioned ? partitions : 1);
  }
  return bytes;
}

/** The directory, or its nearest existing parent. */
function existing(dir: string): string {
  return existsSync(dir) || dirname(dir) === dir ? dir : existing(dirname(dir));
}

function toMib(bytes: number): number {
  return Math.floor(bytes / MIB);
}
