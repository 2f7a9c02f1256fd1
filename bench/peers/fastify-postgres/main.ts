/** The peer as a process, or as a cluster of several processes that share one port. See bench/README.md. */

import cluster from "node:cluster";
import { runPeer } from "../peer-app.ts";
import { startServer } from "./server.ts";

const processes = Number(process.env.PROCESSES ?? 1);
if (cluster.isPrimary && processes > 1) startCluster();
else await runPeer(startServer);

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
