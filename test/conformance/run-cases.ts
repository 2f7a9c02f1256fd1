import { setTimeout as delay } from "node:timers/promises";
import type { Test } from "tap";
import { Pool } from "undici";
import { LIMITS } from "#contract";
import type { ApiDescription } from "#contract/openapi";
import { type Answer, judge } from "./judge.ts";
import type { KnownValues } from "./known-values.ts";
import { type Case, makeCase } from "./make-case.ts";
import { type Operation, type Operations, readOperations } from "./operations.ts";
import { walk } from "./walk.ts";

/**
 * Makes requests from the OpenAPI document, right ones and wrong ones, and checks that each answer is
 * documented: first a successful request of each operation, then random ones. `CONFORMANCE_SEED` repeats a
 * run, `CONFORMANCE_CASES` makes it longer, `CONFORMANCE_ONLY` runs one case of it.
 */
export const SEED = Number(process.env.CONFORMANCE_SEED ?? Date.now() % 1_000_000);
const CASES = Number(process.env.CONFORMANCE_CASES ?? usualCases());
const ONLY = process.env.CONFORMANCE_ONLY === undefined ? undefined : Number(process.env.CONFORMANCE_ONLY);

const CONNECTIONS = 24;

function usualCases(): number {
  if (process.env.TEST_LONG !== undefined) return 200_000;
  return process.env.CI === undefined ? 1_500 : 8_000;
}

const FAILURES_SHOWN = 5;
/** Many times the longest wait of an ingest for its outcome: after that a request hangs. */
const ANSWER_MS = 60_000;
const AGAIN_MS = 100;
/** With fewer cases, the share that meets existing records says too little. */
const CASES_FOR_SHARE = 2_500;

export interface Conformance {
  readonly api: ApiDescription;
  readonly url: string;
  readonly token: string;
  readonly known: KnownValues;
  /** Values of the caller too: the walk through all operations needs and removes these records. */
  readonly walked: KnownValues;
  /** Texts that an answer must not contain unless the request did. */
  readonly secrets: readonly string[];
  /** The share of the cases to run: an API of few operations needs fewer. */
  readonly share: number;
}

/** Runs the cases against a service and fails for each answer that is not as its document says. */
export async function conforms(
  t: Test,
  { api, url, token, known, walked, secrets, share }: Conformance,
): Promise<void> {
  const cases = Math.ceil(CASES * share);
  t.comment(`CONFORMANCE_SEED=${SEED} CONFORMANCE_CASES=${CASES}`);
  const pool = new Pool(url, {
    connections: CONNECTIONS,
    headersTimeout: ANSWER_MS,
    bodyTimeout: ANSWER_MS,
  });
  t.teardown(() => pool.destroy());
  const document = await get(pool, "/openapi.json");
  t.equal(document.status, 200);
  const operations = readOperations(JSON.parse(document.text));
  t.strictSame(
    operations.all.map(({ path }) => path).sort(),
    Object.keys(api.routes)
      .map((route) => api.prefix + route)
      .sort(),
    "the document has every route, and no other",
  );
  const send = (made: Case) => postPatiently(pool, token, made);
  if (ONLY === undefined) {
    const { unmet, wrong } = await walk({ operations, known: walked, secrets, send });
    for (const one of wrong) t.fail(one);
    t.strictSame(unmet, [], "every operation also succeeds");
  }
  const tally = await runCases({ operations, known, secrets, send, cases });
  for (const failure of tally.failures) t.fail(failure);
  if (ONLY !== undefined) return;
  t.equal(tally.answered, cases);
  if (cases < CASES_FOR_SHARE) return;
  t.comment(`${tally.validSucceeded} of ${tally.valid} valid requests succeeded`);
  t.ok(tally.validSucceeded > tally.valid / 4, "valid requests meet records that exist");
}

interface Tally {
  answered: number;
  valid: number;
  validSucceeded: number;
  readonly failures: string[];
}

interface Run {
  readonly operations: Operations;
  readonly known: KnownValues;
  readonly secrets: readonly string[];
  readonly send: (made: Case) => Promise<Answer>;
  readonly cases: number;
}

async function runCases({ operations, known, secrets, send, cases }: Run): Promise<Tally> {
  const tally: Tally = { answered: 0, valid: 0, validSucceeded: 0, failures: [] };
  let next = ONLY ?? 0;
  const end = ONLY === undefined ? cases : ONLY + 1;
  const lane = async (): Promise<void> => {
    while (next < end && tally.failures.length < FAILURES_SHOWN) {
      const number = next++;
      const made = makeCase(operations, known, SEED, number);
      const wrong = await send(made).then(
        (answer) => {
          if (made.expected.kind === "valid") tally.valid++;
          learn(made.operation, answer, known, tally);
          return judge(made, answer, secrets);
        },
        (error: Error) => `no answer: ${error.message}`,
      );
      tally.answered++;
      if (wrong !== undefined) tally.failures.push(describe(number, made, wrong));
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  return tally;
}

function learn({ route }: Operation, { status, text }: Answer, known: KnownValues, tally: Tally): void {
  if (status >= 300) return;
  tally.validSucceeded++;
  const body = JSON.parse(text);
  // A record that is gone is of no use to later requests.
  if (body.deleted_at === undefined && body.revoked_at === undefined && !route.endsWith("/delete")) {
    known.learn(route, body);
  }
}

function describe(number: number, { operation, what, bytes, headers }: Case, wrong: string): string {
  const again = `CONFORMANCE_SEED=${SEED} CONFORMANCE_ONLY=${number} npm test -- conformance`;
  const body = Buffer.from(bytes.subarray(0, 600));
  return `case ${number}, ${operation.route}, ${what}: ${wrong}
    ${JSON.stringify(headers)} ${bytes.length} bytes: ${JSON.stringify(body.toString())}
    again: ${again}`;
}

/**
 * Behaves as a client should: if there is no room for another `webhook/test` now, it tries again, for as long
 * as several tests may take.
 */
async function postPatiently(pool: Pool, token: string, made: Case): Promise<Answer> {
  for (const until = Date.now() + 4 * LIMITS.webhookTestMs; ; await delay(AGAIN_MS)) {
    const answer = await post(pool, token, made);
    const isBusy = answer.status === 503 && answer.text.includes('"too_many_tests"');
    if (!isBusy || Date.now() > until) return answer;
  }
}

async function post(pool: Pool, token: string, { operation, bytes, headers }: Case): Promise<Answer> {
  const response = await pool.request({
    path: operation.path,
    method: "POST",
    headers: { authorization: `Bearer ${token}`, ...headers },
    body: bytes,
  });
  return { status: response.statusCode, headers: response.headers, text: await response.body.text() };
}

async function get(pool: Pool, path: string): Promise<Answer> {
  const response = await pool.request({ path, method: "GET" });
  return { status: response.statusCode, headers: response.headers, text: await response.body.text() };
}
