import { cpus, totalmem } from "node:os";
import { hasUws } from "#http";
import { readServerReport } from "#nats";
import { inspectServer, type Store } from "#postgres";

const GIB = 2 ** 30;

/**
 * On which machine the figures of a demo were made, and what a power loss would leave: without both they mean nothing.
 * @param place.natsMonitorUrl undefined: it is not known whether NATS syncs every write
 */
export async function describePlace(
  store: Store,
  {
    natsMonitorUrl,
    httpAdapter,
  }: { natsMonitorUrl?: string | undefined; httpAdapter: "auto" | "uws" | "node" },
): Promise<string[]> {
  const { version, fsync, synchronousCommit, fullPageWrites } = await inspectServer(store);
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / GIB);
  const server =
    httpAdapter === "uws" || (httpAdapter === "auto" && hasUws()) ? "uWebSockets.js" : "node:http";
  const settings = `fsync ${fsync}, synchronous_commit ${synchronousCommit}, full_page_writes ${fullPageWrites}`;
  return [
    `machine: ${cpus().length} × ${cpu?.model.trim() ?? "unknown"}, ${memory} GiB, Node ${process.versions.node}, HTTP by ${server}`,
    `durability: PostgreSQL ${version} with ${settings}; ${await describeSync(natsMonitorUrl)}`,
  ];
}

async function describeSync(monitorUrl: string | undefined): Promise<string> {
  const unknown = "whether NATS syncs every write is not known";
  if (monitorUrl === undefined) return unknown;
  try {
    const { version, syncMode } = await readServerReport(monitorUrl);
    if (syncMode === "unknown") return unknown;
    return `NATS ${version} ${syncMode === "always" ? "syncs every write" : "syncs now and then only"}`;
  } catch {
    return unknown;
  }
}
