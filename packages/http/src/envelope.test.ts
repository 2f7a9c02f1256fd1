import t from "tap";
import { ApiError, ERRORS, type ErrorCode } from "#contract";
import { errorResponse, jsonResponse } from "./envelope.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

t.test("error answers - every code has the status of the catalogue and the envelope", (t) => {
  for (const code of Object.keys(ERRORS) as ErrorCode[]) {
    const { status, body } = errorResponse({ code, message: "m" }, TRACE);
    t.equal(status, ERRORS[code].status, code);
    t.strictSame(JSON.parse(String(body)), { error: { code, message: "m", data: {}, trace_id: TRACE } });
  }
  t.end();
});

t.test("error answers - an ApiError brings its data", (t) => {
  const { status, body, headers } = errorResponse(
    new ApiError("not_found", "no such member", { resource: "member" }),
    TRACE,
  );
  t.equal(status, 404);
  t.equal(headers, undefined);
  t.strictSame(JSON.parse(String(body)).error.data, { resource: "member" });
  t.end();
});

t.test("error answers - the header that belongs to the code", (t) => {
  const headers = (code: ErrorCode, retryAfterSeconds?: number) =>
    errorResponse({ code, message: "m", retryAfterSeconds }, TRACE).headers;
  t.strictSame(headers("authentication_error"), { "www-authenticate": "Bearer" });
  t.strictSame(headers("method_not_allowed"), { allow: "POST" });
  t.strictSame(headers("unavailable"), { "retry-after": "1" });
  t.strictSame(headers("unavailable", 0), { "retry-after": "1" }, "never immediately");
  t.strictSame(headers("rate_limited", 2.4), { "retry-after": "3" }, "whole seconds, rounded up");
  t.equal(headers("conflict", 5), undefined);
  const applied = { "preference-applied": "return=representation" };
  t.strictSame(errorResponse(new ApiError("conflict", "m", {}, undefined, applied), TRACE).headers, applied);
  t.strictSame(
    errorResponse(new ApiError("unavailable", "m", {}, 2, applied), TRACE).headers,
    { ...applied, "retry-after": "2" },
    "in addition to its own",
  );
  t.end();
});

t.test("json answers - status, headers and text", (t) => {
  t.strictSame(jsonResponse(200, { a: "ü" }), { status: 200, body: '{"a":"ü"}' });
  t.strictSame(jsonResponse(202, [], { "preference-applied": "respond-async" }), {
    status: 202,
    headers: { "preference-applied": "respond-async" },
    body: "[]",
  });
  t.end();
});
