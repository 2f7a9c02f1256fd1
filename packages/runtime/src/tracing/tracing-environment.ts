import { StartError } from "../start-error.ts";

/** The variables of the OpenTelemetry specification, as the process has them. */
export type TracingEnvironment = Readonly<Record<string, string | undefined>>;

const ENDPOINTS = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];
const PROTOCOLS = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"];

/**
 * Where the environment sends spans; undefined if nowhere, so that tracing is off. As the specification says,
 * an empty variable counts as absent. Unlike there, OTLP must be asked for, by an endpoint or by name,
 * because an installation may have no collector.
 * @throws StartError for something that is asked for and cannot be done here
 */
export function wantedExporter(env: TracingEnvironment): "otlp" | "console" | undefined {
  if (given(env, "OTEL_SDK_DISABLED")?.toLowerCase() === "true") return undefined;
  const named = given(env, "OTEL_TRACES_EXPORTER");
  if (named === "none") return undefined;
  if (named !== undefined && named !== "otlp" && named !== "console") {
    throw wrong(`OTEL_TRACES_EXPORTER must be otlp, console or none, not "${named}"`);
  }
  const exporter = named ?? (ENDPOINTS.some((key) => given(env, key) !== undefined) ? "otlp" : undefined);
  if (exporter === "otlp") assertReachable(env);
  return exporter;
}

/** The value may hold a password, so the message does not show it. */
function assertReachable(env: TracingEnvironment): void {
  for (const key of ENDPOINTS) {
    const value = given(env, key);
    if (value === undefined) continue;
    const isHttp = URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
    if (!isHttp) throw wrong(`${key} must be a URL such as http://127.0.0.1:4318`);
  }
  for (const key of PROTOCOLS) {
    const value = given(env, key);
    if (value === "grpc") {
      throw wrong(
        `${key} must be http/json: spans leave by OTLP over HTTP, which collectors take at port 4318`,
      );
    }
  }
}

/** An environment variable as the specification reads it: trimmed, and absent if it is empty. */
export function given(env: TracingEnvironment, key: string): string | undefined {
  const value = env[key]?.trim();
  return value === "" ? undefined : value;
}

export function wrong(message: string): StartError {
  return new StartError("wrong_environment", message);
}
