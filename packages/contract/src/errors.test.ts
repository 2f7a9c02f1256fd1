import t from "tap";
import { ApiError, ERRORS } from "./errors.ts";

t.test("errors - the catalogue is the contract's table (section 2)", async (t) => {
  const statuses = Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, status]));
  t.strictSame(statuses, {
    bad_request: 400,
    authentication_error: 401,
    authorization_error: 403,
    not_found: 404,
    method_not_allowed: 405,
    conflict: 409,
    payload_too_large: 413,
    unsupported_media_type: 415,
    rate_limited: 429,
    unavailable: 503,
    internal_error: 500,
  });
});

t.test("errors - every code says when it comes", async (t) => {
  for (const [code, { when }] of Object.entries(ERRORS)) t.match(when, /^\S.{5,}\S$/, code);
});

t.test("errors - a refusal carries its code, and an object of data whether given or not", async (t) => {
  const bare = new ApiError("not_found", "no such member");
  t.type(bare, Error);
  t.match(bare, { name: "ApiError", code: "not_found", message: "no such member", data: {} });
  t.equal(bare.retryAfterSeconds, undefined);
  const full = new ApiError("unavailable", "too much in flight", { reason: "full" }, 2);
  t.match(full, { code: "unavailable", data: { reason: "full" }, retryAfterSeconds: 2 });
});
