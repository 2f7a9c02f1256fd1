import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace-base";
import t from "tap";
import { createLog } from "../log.ts";
import { WatchedExporter } from "./span-exporters.ts";

t.test("exporter - one line when spans begin to be lost, and one when they arrive again", async (t) => {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  let isAway = false;
  const sink = {
    export: (_spans, done) =>
      done(isAway ? { code: 1, error: new Error("http://user:PASSWORD@collector") } : { code: 0 }),
    shutdown: async () => {},
  } satisfies SpanExporter;
  const exporter = new WatchedExporter(sink, createLog({ service: "test", level: "info", destination }));
  const results: number[] = [];
  const send = (count: number) =>
    exporter.export(new Array(count) as ReadableSpan[], ({ code }) => results.push(code));
  send(1);
  isAway = true;
  for (let i = 0; i < 100; i++) send(5);
  isAway = false;
  for (let i = 0; i < 3; i++) send(1);
  isAway = true;
  send(1);
  t.strictSame(
    lines.map(({ level, lostSpans }) => [level, lostSpans]),
    [
      ["warn", undefined],
      ["info", 500],
      ["warn", undefined],
    ],
  );
  t.notMatch(JSON.stringify(lines), /PASSWORD/);
  t.equal(results.filter((code) => code === 0).length, 4);
});
