import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ServiceProcess } from "#test-support";
import type { TargetGroup } from "./run-prometheus.ts";

/**
 * Forked services answer operations requests over IPC: this serves them over HTTP, on one port for each.
 * Resolves to targets as an operator writes them.
 */
export async function serveOps(
  processes: Iterable<ServiceProcess>,
): Promise<{ groups: TargetGroup[]; close(): void }> {
  const servers = await Promise.all(
    Array.from(processes, async (process) => {
      const server = createServer(async (request, response) => {
        const answer = await process.ops(request.url ?? "/", request.headers.accept);
        response.writeHead(answer.status, { "content-type": answer.contentType }).end(answer.body);
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      return { server, service: process.service };
    }),
  );
  return {
    groups: servers.map(({ server, service }) => ({
      targets: [`127.0.0.1:${(server.address() as AddressInfo).port}`],
      labels: { service },
    })),
    close() {
      for (const { server } of servers) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}
