import t from "tap";
import { openApiDocument, PUBLISHER_API } from "#contract/openapi";
import { SeededRandom } from "#domain";
import { type Answer, judge } from "./judge.ts";
import { KnownValues } from "./known-values.ts";
import { type Case, makeCase } from "./make-case.ts";
import { type Operation, readOperations } from "./operations.ts";
import { makeSingleFault } from "./single-faults.ts";

/** Tests the suite's judge: it sees each kind of wrong answer, and lets the right ones pass. */

const operations = readOperations(JSON.parse(JSON.stringify(openApiDocument(PUBLISHER_API))));
const operation = operations.all.find(({ route }) => route === "member-base/get") as Operation;
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SECRET = "mb_theirs";

const valid: Case = {
  operation,
  what: "valid",
  bytes: Buffer.from('{"id":"mb_x"}'),
  headers: { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` },
  expected: { kind: "valid" },
};
const refused: Case = { ...valid, expected: { kind: "refused", status: 400, path: "/id", exact: true } };

const record = {
  id: "mb_x",
  name: "a",
  created_at: "2026-01-01T00:00:00Z",
  updated_at: "2026-01-01T00:00:00Z",
};
const answer = (status: number, body: unknown, trace = TRACE): Answer => ({
  status,
  headers: { "x-trace-id": trace },
  text: typeof body === "string" ? body : JSON.stringify(body),
});
const error = (code: string, data: object = {}, trace_id = TRACE) => ({
  error: { code, message: "no", data, trace_id },
});
const issue = (path: string) => error("bad_request", { issues: [{ path, message: "no" }] });
const see = (made: Case, given: Answer) => judge(made, given, [SECRET]);

t.test("judge - right answers pass", async (t) => {
  t.equal(see(valid, answer(200, record)), undefined);
  t.equal(see(valid, answer(404, error("not_found", { resource: "member_base" }))), undefined);
  t.equal(see(refused, answer(400, issue("/id"))), undefined);
  const sent = { ...valid, bytes: Buffer.from(JSON.stringify({ id: SECRET })) };
  t.equal(see(sent, answer(200, { ...record, name: SECRET })), undefined, "what was sent may come back");
});

t.test("judge - wrong answers are seen", async (t) => {
  const wrong: Array<[what: RegExp, made: Case, given: Answer]> = [
    [/answered 500/, valid, answer(500, error("internal_error"))],
    [/another organisation/, valid, answer(200, { ...record, name: SECRET })],
    [/not JSON/, valid, answer(200, "<html>")],
    [/half of a surrogate/, valid, answer(200, { ...record, name: "\ud800" })],
    [/not documented/, valid, answer(299, record)],
    [/not as documented/, valid, answer(200, { ...record, name: 5 })],
    [/x-trace-id/, valid, answer(200, record, "0".repeat(32))],
    [/trace_id/, valid, answer(404, error("not_found", {}, "0".repeat(32)))],
    [/was refused with 400/, valid, answer(400, issue("/id"))],
    [/answered 200, not 400/, refused, answer(200, record)],
    [/points at \/name/, refused, answer(400, issue("/name"))],
  ];
  for (const [what, made, given] of wrong) t.match(see(made, given), what);
});

t.test("cases - the same seed and number make the same case", async (t) => {
  const known = new KnownValues({}, []);
  for (let number = 0; number < 200; number++) {
    const [first, second] = [0, 1].map(() => makeCase(operations, known, 7, number));
    t.strictSame(first?.bytes, second?.bytes);
    t.strictSame(first?.headers, second?.headers);
  }
});

t.test("faults - one thing is wrong, and no more", async (t) => {
  const random = new SeededRandom(11);
  const schema = operation.request;
  for (let i = 0; i < 200; i++) {
    const fault = makeSingleFault({ id: "mb_x" }, schema, operations.resolve, random);
    if (fault === undefined) continue;
    t.equal(operation.isRequest(JSON.parse(fault.text)), fault.onlyInText, fault.what);
    t.match(fault.path, /^(|\/id|\/typo|\/__proto__|\/constructor|\/a~1b~0c|\/\ufffd|\/k{64})$/, fault.what);
  }
});
