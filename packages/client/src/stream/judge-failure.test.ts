import t from "tap";
import { connectionError, StampedeError } from "../stampede-error.ts";
import { judgeFailure } from "./judge-failure.ts";
import { refusal } from "./test-ingest.ts";

t.test("failure - too busy is repeated, after the time that the service asks for", async (t) => {
  for (const [status, code] of [
    [503, "unavailable"],
    [429, "rate_limited"],
  ] as const) {
    const error = new StampedeError({ status, code, message: "", retryAfterSeconds: 1.5 });
    t.strictSame(judgeFailure(error, 3), { kind: "repeat", busy: true, retryAfterMs: 1_500 });
  }
});

t.test(
  "failure - a request that may have arrived is repeated, and does not mean that the service is busy",
  async (t) => {
    const errors = [
      connectionError(new Error("gone")),
      refusal(500, "internal_error", { batch_id: "batch_1" }),
      refusal(502, "unexpected_answer"),
      refusal(504, "unexpected_answer"),
      refusal(408, "unexpected_answer"),
    ];
    for (const error of errors) {
      t.strictSame(judgeFailure(error, 1), { kind: "repeat", busy: false, retryAfterMs: 0 });
    }
  },
);

t.test("failure - too large is halved, unless it is one event", async (t) => {
  const error = refusal(413, "payload_too_large");
  t.strictSame(judgeFailure(error, 2), { kind: "halve" });
  t.strictSame(judgeFailure(error, 1), { kind: "hopeless" });
});

t.test("failure - events that the service finds malformed are named by their index", async (t) => {
  const error = refusal(400, "bad_request", {
    issues: [
      { path: "/events/3/bin", message: "must match ^[0-9]{6,8}$" },
      { path: "/events/11", message: "must be object" },
    ],
  });
  const verdict = judgeFailure(error, 12);
  t.equal(verdict.kind, "without");
  t.strictSame(verdict.kind === "without" && [...verdict.malformed], [
    [3, { outcome: "rejected", code: "bad_request", reason: "must match ^[0-9]{6,8}$", path: "/bin" }],
    [11, { outcome: "rejected", code: "bad_request", reason: "must be object", path: "" }],
  ]);
});

t.test("failure - a refusal that will not change is hopeless", async (t) => {
  const errors = [
    refusal(401, "authentication_error"),
    refusal(403, "authorization_error"),
    refusal(404, "not_found", { resource: "path" }),
    refusal(400, "bad_request", { issues: [{ path: "", message: "is not JSON" }] }),
    refusal(400, "bad_request", {
      issues: [{ path: "/events/7/bin", message: "of an event that was not sent" }],
    }),
    refusal(200, "unexpected_answer"),
  ];
  for (const error of errors) t.strictSame(judgeFailure(error, 2), { kind: "hopeless" }, String(error.code));
});
