/** The peer of the reads as a process. See bench/README.md. */
import { startServer } from "./server.ts";

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
