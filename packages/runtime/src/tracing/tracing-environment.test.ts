import t from "tap";
import { wantedExporter } from "./tracing-environment.ts";

const ENDPOINT = "http://127.0.0.1:4318";

t.test("tracing is off unless it is asked for", async (t) => {
  const off = [
    {},
    { OTEL_SERVICE_NAME: "ours", OTEL_TRACES_SAMPLER: "always_on" },
    { OTEL_EXPORTER_OTLP_ENDPOINT: "" },
    { OTEL_TRACES_EXPORTER: " " },
    { OTEL_TRACES_EXPORTER: "none", OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT },
    { OTEL_SDK_DISABLED: "true", OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT },
    { OTEL_SDK_DISABLED: "TRUE", OTEL_TRACES_EXPORTER: "console" },
    // Off altogether: what else is wrong is not looked at.
    { OTEL_SDK_DISABLED: "true", OTEL_TRACES_EXPORTER: "zipkin" },
    { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: ENDPOINT },
  ];
  for (const env of off) t.equal(wantedExporter(env), undefined, JSON.stringify(env));
});

t.test("tracing is asked for by an endpoint or an exporter", async (t) => {
  t.equal(wantedExporter({ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT }), "otlp");
  t.equal(wantedExporter({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${ENDPOINT}/v1/traces` }), "otlp");
  t.equal(wantedExporter({ OTEL_TRACES_EXPORTER: "otlp" }), "otlp");
  t.equal(wantedExporter({ OTEL_TRACES_EXPORTER: "console" }), "console");
  t.equal(wantedExporter({ OTEL_SDK_DISABLED: "false", OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT }), "otlp");
});

t.test("what cannot be done is a start error that tells no value with a password", async (t) => {
  const wrong: ReadonlyArray<readonly [Record<string, string>, RegExp]> = [
    [{ OTEL_TRACES_EXPORTER: "zipkin" }, /OTEL_TRACES_EXPORTER/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "PASSWORD@collector" }, /OTEL_EXPORTER_OTLP_ENDPOINT/],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "ftp://u:PASSWORD@c" }, /OTEL_EXPORTER_OTLP_TRACES_ENDPOINT/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, /http\/json/],
  ];
  for (const [env, message] of wrong) {
    const error = t.throws(() => wantedExporter(env), { code: "wrong_environment", message }) as Error;
    t.notMatch(error.message, /PASSWORD/);
  }
});
