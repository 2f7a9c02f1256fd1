import t, { type Test } from "tap";
import { createLog } from "../log.ts";
import { openTelemetry } from "./open-telemetry.ts";
import type { Span, Tracing } from "./tracing.ts";

/** With its spans as lines of a log, which `spans` parses once it has ended. */
function traced(t: Test, env: Record<string, string> = {}) {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = createLog({ service: "test", level: "info", destination });
  const tracing = openTelemetry({ service: "test", version: "1", exporter: "console", log, env });
  t.teardown(() => tracing.stop(1_000));
  const spans = async () => {
    await tracing.stop(10_000);
    return lines.filter(({ msg }) => msg === "span");
  };
  return { tracing, spans };
}

const hex = (digit: string, length: number) => digit.repeat(length);
const TRACE = hex("a", 32);
const other = (i: number) => `00-${String(i + 1).padStart(32, "0")}-${hex("b", 16)}-01`;

function serve(tracing: Tracing, traceparent: string | undefined): Span | undefined {
  const startedAt = performance.now();
  return tracing.serve({ name: "GET /", traceId: TRACE, traceparent, startedAt, attributes: {} });
}

function follow(tracing: Tracing, from: ReadonlyArray<string | null | undefined>): Span | undefined {
  return tracing.follow({ name: "work", kind: "consumer", from, attributes: {} });
}

t.test("serve - a request without a parent has the trace id that it was given", async (t) => {
  const { tracing, spans } = traced(t);
  const span = serve(tracing, undefined);
  t.equal(span?.traceId, TRACE);
  t.match(span?.traceparent, new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
  span?.end();
  const [line] = await spans();
  t.match(line, { traceId: TRACE, name: "GET /" });
  t.notOk(line?.parentSpanId);
});

t.test("serve - the caller's sampled flag is honoured by default", async (t) => {
  const { tracing, spans } = traced(t);
  t.equal(serve(tracing, `00-${TRACE}-${hex("b", 16)}-00`), undefined);
  const span = serve(tracing, `00-${TRACE}-${hex("b", 16)}-01`);
  span?.child("part", "internal").end();
  span?.end({ answered: true }, "kaputt");
  const lines = await spans();
  t.equal(lines.length, 2);
  t.match(lines[1], {
    traceId: TRACE,
    parentSpanId: hex("b", 16),
    attributes: { answered: true, "error.type": "kaputt" },
  });
  t.equal(lines[0]?.parentSpanId, lines[1]?.spanId);
});

t.test("follow - one goes on in its trace, several are links of a new one, none is nothing", async (t) => {
  const { tracing, spans } = traced(t);
  t.equal(follow(tracing, []), undefined);
  t.equal(follow(tracing, ["", null, undefined]), undefined);
  follow(tracing, [other(1), other(1), ""])?.end();
  follow(tracing, [other(1), other(2)])?.end();
  const [one, two] = await spans();
  t.match(one, { traceId: other(1).slice(3, 35), parentSpanId: hex("b", 16), links: [] });
  t.notOk([other(1), other(2)].some((traceparent) => traceparent.includes(String(two?.traceId))));
  t.strictSame(
    two?.links,
    [other(1), other(2)].map((traceparent) => traceparent.slice(3, -3)),
  );
});

t.test("follow - what is not sampled or not valid is passed over", async (t) => {
  const { tracing } = traced(t);
  const foreign = [
    "nonsense",
    `00-${TRACE}-${hex("b", 16)}-00`,
    `00-${hex("0", 32)}-${hex("b", 16)}-01`,
    `00-${TRACE}-${hex("0", 16)}-01`,
    `ff-${TRACE}-${hex("b", 16)}-01`,
    `00-${TRACE}-${hex("b", 16)}-01-more`,
    `00-${TRACE.toUpperCase()}-${hex("b", 16)}-01`,
  ];
  for (const text of foreign) t.equal(follow(tracing, [text]), undefined, text);
  t.equal(follow(tracing, [...foreign, other(1)])?.traceId, other(1).slice(3, 35), "one is left");
  t.equal(follow(tracing, [`01-${TRACE}-${hex("b", 16)}-03-later`])?.traceId, TRACE, "of a later version");
});

t.test("follow - links have a bound, and those that are not sampled do not count", async (t) => {
  const { tracing, spans } = traced(t);
  const unsampled = Array.from({ length: 500 }, (_, i) => other(i + 5_000).replace(/1$/, "0"));
  follow(tracing, [...unsampled, ...Array.from({ length: 1_000 }, (_, i) => other(i))])?.end();
  const [line] = await spans();
  t.equal(Array.isArray(line?.links) && line.links.length, 128);
});

t.test(
  "sampler - a ratio decides over requests, and all that follows from a sampled one is recorded",
  async (t) => {
    for (const OTEL_TRACES_SAMPLER of ["traceidratio", "parentbased_traceidratio"]) {
      const { tracing } = traced(t, { OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG: "0" });
      t.equal(serve(tracing, undefined), undefined);
      const several = follow(tracing, [other(1), other(2)]);
      t.ok(several, "its own trace id is not what decides");
      t.ok(several?.child("part", "internal").traceparent.endsWith("-01"));
    }
  },
);

t.test(
  "sampler - always_off records nothing at all; parentbased_always_off only what a caller samples",
  async (t) => {
    const off = traced(t, { OTEL_TRACES_SAMPLER: "always_off" });
    t.equal(serve(off.tracing, other(1)), undefined);
    t.equal(follow(off.tracing, [other(1)]), undefined);
    t.equal(follow(off.tracing, [other(1), other(2)]), undefined);
    const ours = traced(t, { OTEL_TRACES_SAMPLER: "parentbased_always_off" });
    t.equal(serve(ours.tracing, undefined), undefined);
    t.ok(serve(ours.tracing, `00-${TRACE}-${hex("b", 16)}-01`));
  },
);

t.test(
  "sampler - a wrong one ends the start: the default in its place would record everything",
  async (t) => {
    const wrong = [
      { OTEL_TRACES_SAMPLER: "jaeger_remote" },
      { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "1%" },
      { OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "2" },
    ];
    for (const env of wrong) t.throws(() => traced(t, env), { code: "wrong_environment" });
  },
);
