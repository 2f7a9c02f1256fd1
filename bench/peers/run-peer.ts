import type { PeerOptions, RunningPeer } from "./peer-app.ts";

/** Runs a peer in this process, until its parent ends it. */
export async function runPeer(start: (options: PeerOptions) => Promise<RunningPeer>): Promise<void> {
  const server = await start({
    databaseUrl: process.env.DATABASE_URL ?? "",
    connections: Number(process.env.DATABASE_CONNECTIONS ?? 8),
    port: Number(process.env.PORT ?? 3000),
    logLevel: process.env.LOG_LEVEL ?? "info",
  });
  process.send?.({ kind: "ready", url: server.url });
  const stop = (): void => void server.close().then(() => process.exit(0));
  process.on("SIGTERM", stop);
  process.on("disconnect", stop);
}
