import type { ServiceProcess } from "../service-process.ts";
import { type Usage, watchUsage } from "../usage.ts";

/** What a service's process took while it worked through what there was. */
export async function watchService<T extends object>(
  service: ServiceProcess,
  work: () => Promise<T>,
): Promise<T & { readonly usage: Usage }> {
  return watchUsage({ processes: [service], queueDepth: async () => 0 }, work);
}
