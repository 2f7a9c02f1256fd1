import { SeededRandom } from "#domain";
import type { KnownValues } from "./known-values.ts";
import type { Operation, Operations } from "./operations.ts";
import { makeRawFault } from "./raw-faults.ts";
import { makeSingleFault } from "./single-faults.ts";
import { type Generation, validValue } from "./valid-value.ts";

/** A request and its allowed answers. */
export interface Case {
  readonly operation: Operation;
  readonly what: string;
  readonly bytes: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly expected: Expectation;
}

export type Expectation =
  | { readonly kind: "valid" }
  | { readonly kind: "refused"; readonly status: number; readonly path: string; readonly exact: boolean };

const VALID_SHARE = 0.5;
const OPTIONAL_SHARE = 0.6;
const RAW_SHARE = 0.12;
const ATTEMPTS = 50;
/** Spreads neighbouring case numbers over the states of the generator. */
const CASE_STRIDE = 0x9e3779b1;

/**
 * The case of this number: the same shape for the same seed, with the values that are known when it is made.
 */
export function makeCase(operations: Operations, known: KnownValues, seed: number, number: number): Case {
  const random = new SeededRandom(seed ^ Math.imul(number + 1, CASE_STRIDE));
  const operation = operations.all[number % operations.all.length] as Operation;
  const { route } = operation;
  const headers = randomHeaders(random);
  const share = random.next();
  const { resolve } = operations;
  const body = validBody(operation, { random, resolve, known, route, optionalShare: OPTIONAL_SHARE });
  if (share < VALID_SHARE) return validCase(operation, headers, body);
  const text = JSON.stringify(body);
  if (share < VALID_SHARE + RAW_SHARE) {
    const fault = makeRawFault(text, random);
    const { what, bytes, status } = fault;
    const expected = { kind: "refused", status, path: "", exact: fault.vague !== true } as const;
    return { operation, what, bytes, headers: { ...headers, ...fault.headers }, expected };
  }
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const fault = makeSingleFault(body, operation.request, operations.resolve, random);
    if (fault === undefined) continue;
    // One branch may take a value that another refuses; then it is no fault.
    if (!fault.onlyInText && operation.isRequest(JSON.parse(fault.text))) continue;
    const { what, path, exact } = fault;
    const expected = { kind: "refused", status: 400, path, exact } as const;
    return { operation, what, bytes: Buffer.from(fault.text), headers, expected };
  }
  throw new Error(`nothing to break in a request of ${route}: ${text}`);
}

/** A right request of this operation, with known values. */
export function makeValidCase(operation: Operation, generation: Omit<Generation, "route">): Case {
  const { route } = operation;
  const body = validBody(operation, { ...generation, route });
  return validCase(operation, { "content-type": "application/json" }, body);
}

function validCase(operation: Operation, headers: Case["headers"], body: unknown): Case {
  const bytes = Buffer.from(JSON.stringify(body));
  return { operation, what: "valid", bytes, headers, expected: { kind: "valid" } };
}

function validBody(operation: Operation, generation: Generation): unknown {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const body = validValue(operation.request, generation);
    if (operation.isRequest(body)) return body;
  }
  throw new Error(`no valid request of ${operation.route} in ${ATTEMPTS} attempts`);
}

const PREFERENCES = ["respond-async", "return=representation", "respond-async, return=representation"];

function randomHeaders(random: SeededRandom): Record<string, string> {
  const headers: Record<string, string> = {
    "content-type": random.pick(["application/json", "application/json; charset=utf-8", "Application/JSON"]),
  };
  if (random.chance(0.4)) headers.prefer = random.pick(PREFERENCES);
  if (random.chance(0.1)) headers["idempotency-key"] = `key-${random.between(1, 1_000_000)}`;
  if (random.chance(0.3)) {
    const digits = Array.from({ length: 31 }, () => random.between(0, 15).toString(16)).join("");
    headers.traceparent = `00-1${digits}-00f067aa0ba902b7-01`;
  }
  return headers;
}
