import type { ServiceProcess } from "./start-pipeline.ts";

/**
 * The sum of a metric's samples in one process; NaN without samples, so that no comparison holds by their
 * absence.
 * @param label such as `outcome="refused"`, for the samples that carry it
 */
export async function readMetric(service: ServiceProcess, name: string, label = ""): Promise<number> {
  const { body } = await service.ops("/metrics");
  const samples = body.split("\n").filter((line) => line.startsWith(`${name}{`) && line.includes(label));
  if (samples.length === 0) return Number.NaN;
  return samples.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}
