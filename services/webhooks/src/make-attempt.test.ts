import t from "tap";
import type { Span, Tracing } from "#runtime";
import { beginAttemptSpan, endAttemptSpan } from "./make-attempt.ts";

/** Tracing that only records its calls. */
function written() {
  const begun: Parameters<Tracing["follow"]>[0][] = [];
  const ended: unknown[][] = [];
  const span = { end: (...told: unknown[]) => void ended.push(told) } as unknown as Span;
  const tracing = {
    follow: (work: Parameters<Tracing["follow"]>[0]) => {
      begun.push(work);
      return span;
    },
  } as unknown as Tracing;
  return { tracing, begun, ended };
}

const DELIVERY = {
  id: "01936f5e-0000-7000-8000-000000000000",
  events: 2,
  failures: 3,
  traceparents: ["00-a", "00-b"],
};

t.test("attempt span - it follows from every event, and of the URL it tells the host only", async (t) => {
  const { tracing, begun } = written();
  beginAttemptSpan(
    tracing,
    "https://user:PASSWORD@hooks.example:8443/PATH-SECRET?key=QUERY-SECRET",
    DELIVERY,
  );
  const [work] = begun;
  t.strictSame([...(work?.from ?? [])], DELIVERY.traceparents);
  t.match(work?.attributes, {
    "server.address": "hooks.example",
    "http.request.resend_count": 3,
    "stampede.events": 2,
    "stampede.delivery.id": /^dlv_[0-9a-z]{26}$/,
  });
  t.notMatch(JSON.stringify(work), /SECRET|PASSWORD/);
});

t.test("attempt span - it names the target's status and error class, never its words", async (t) => {
  const { tracing, ended } = written();
  const made = { answer: "WORDS", retryAfterMs: null, durationMs: 1 };
  const attempt = (told: { status: number | null; errorClass: "timeout" | "http_5xx" | null }) => {
    const span = beginAttemptSpan(tracing, "https://hooks.example/", DELIVERY) as Span;
    endAttemptSpan(span, { ...made, ...told } as Parameters<typeof endAttemptSpan>[1]);
  };
  attempt({ status: 200, errorClass: null });
  attempt({ status: 503, errorClass: "http_5xx" });
  attempt({ status: null, errorClass: "timeout" });
  t.strictSame(ended, [
    [{ "http.response.status_code": 200 }, undefined],
    [{ "http.response.status_code": 503 }, "http_5xx"],
    [undefined, "timeout"],
  ]);
});
