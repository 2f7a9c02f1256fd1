/** The peer as a process, or as a cluster of some that share one port. See bench/README.md. */
import cluster from "node:cluster";
import { startServer } from "./server.ts";

const processes = Number(process.env.PROCESSES ?? 1);
if (cluster.isPrimary && processes > 1) startCluster();
else await startWorker();

function startCluster(): void {
  let ready = 0;
  for (let i = 0; i < processes; i++) {
    cluster.fork().on("message", (message: { kind: string; url: string }) => {
      ready++;
      if (ready === processes) process.send?.(message);
    });
  }
  const stop = (): void => cluster.disconnect(() => process.exit(0));
  process.on("SIGTERM", stop);
  process.on("disconnect", stop);
}

async function startWorker(): Promise<void> {
  const server = await startServer({
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
