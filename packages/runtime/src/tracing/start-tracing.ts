import type { Log } from "../log.ts";
import type { Tracing } from "./tracing.ts";
import { type TracingEnvironment, wantedExporter } from "./tracing-environment.ts";

/**
 * The tracing that the environment asks for. OpenTelemetry is loaded only then: without tracing a process
 * loads none of its modules.
 * @throws StartError
 */
export async function startTracing(
  service: string,
  version: string,
  log: Log,
  env: TracingEnvironment = process.env,
): Promise<Tracing | undefined> {
  const exporter = wantedExporter(env);
  if (exporter === undefined) return undefined;
  const { openTelemetry } = await import("./open-telemetry.ts");
  return openTelemetry({ service, version, exporter, log, env });
}
