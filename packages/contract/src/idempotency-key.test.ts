import t from "tap";
import { isIdempotencyKey, REPEATABLE_ROUTES, type RepeatableRoute } from "./idempotency-key.ts";
import { ROUTES } from "./routes.ts";

t.test("idempotency key - 1 to 255 printable ASCII characters, nothing else", async (t) => {
  for (const key of ["k", "a b", "~", '"8e03978e-40d5-43dd-bc93-6894a57f9324"', "k".repeat(255)]) {
    t.ok(isIdempotencyKey(key), JSON.stringify(key));
  }
  for (const key of ["", "k".repeat(256), "a\tb", "a\nb", "k\n", "\u007f", "é", "a\u0000", "\u{1f600}"]) {
    t.notOk(isIdempotencyKey(key), JSON.stringify(key));
  }
});

t.test("repeatable routes - they are writes, and those whose answer shows a secret seal it", async (t) => {
  for (const route of Object.keys(REPEATABLE_ROUTES) as RepeatableRoute[]) {
    const { secretInAnswer } = REPEATABLE_ROUTES[route];
    const { access, answers } = ROUTES[route];
    t.equal(access, "write", route);
    const shown = Object.keys(answers[200].properties);
    t.equal(shown.includes("token") || shown.includes("secret"), secretInAnswer, route);
  }
});
