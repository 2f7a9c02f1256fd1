import { conduct } from "../conduct.ts";
import { faultsOf } from "../rewards/results.ts";
import { type Servers, startServers } from "../servers.ts";
import type { TargetResult } from "../targets.ts";
import { measureBacklog } from "./measure-backlog.ts";
import { measureLatency } from "./measure-latency.ts";
import { measureMany } from "./measure-many.ts";
import type { WebhooksOptions } from "./options.ts";
import { describeWebhooks } from "./record.ts";
import { writeWebhooksReport } from "./report.ts";
import type { WebhooksResults } from "./results.ts";
import { judgeWebhooks } from "./targets.ts";

/** What `conduct` opens and stops. */
interface Arena {
  readonly servers: Servers;
  stop(): Promise<void>;
}

/**
 * The benchmark of webhook delivery, from stored events to a receiver on this machine.
 * @param say progress, a line each
 * @param print the report
 * @returns whether everything was verified; missed targets are in the report and no failure
 */
export function benchWebhooks(
  options: WebhooksOptions,
  say: (text: string) => void,
  print: (text: string) => void,
): Promise<boolean> {
  const benchmark = {
    async open(): Promise<Arena> {
      const servers = await startServers(options.dir);
      return { servers, stop: () => servers.stop() };
    },
    measure: ({ servers }: Arena) => measure(servers, options, say),
    judge: judgeWebhooks,
    report: writeWebhooksReport,
    describe: (
      { servers }: Arena,
      ...rest: [results: WebhooksResults, targets: readonly TargetResult[], startedAt: Date]
    ) => describeWebhooks(options, servers, ...rest),
    isVerified: (results: WebhooksResults) => faultsOf(results).length === 0,
  };
  return conduct(benchmark, options, { say, print });
}

async function measure(
  servers: Servers,
  options: WebhooksOptions,
  say: (text: string) => void,
): Promise<WebhooksResults> {
  const { parts } = options;
  return {
    latency: parts.includes("latency") ? await measureLatency(servers, options, say) : undefined,
    many: parts.includes("many") ? await measureMany(servers, options, say) : undefined,
    backlog: parts.includes("backlog") ? await measureBacklog(servers, options, say) : undefined,
  };
}
