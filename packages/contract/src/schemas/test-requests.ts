import t from "tap";
import type { RouteDefinition } from "../route.ts";
import { describeViolation, type Validate } from "../schema-issue.ts";

/**
 * Examples of requests by their fields, for the tests of both APIs: the values that each field accepts, and
 * those that it refuses with their messages.
 */

export const ID = "lp_01jt7a8pvcfnp9z85hr79f9z86";
export const PRINTABLE = "must not hold control characters or lone surrogates";
export const STORABLE = "must not hold NUL or lone surrogates";
const CURRENCY = "must be a current ISO 4217 code, such as EUR";
const TIMESTAMP =
  "must be an RFC 3339 timestamp with an offset, years 2000 to 2100 in UTC, at most 9 fraction digits";
export const AT = "2026-05-01T00:00:00+02:00";
const MAX = Number.MAX_SAFE_INTEGER;

/** `path` leads to the fault if it lies further in. */
export type Refusal = readonly [value: unknown, message: string, path?: string];

export interface Field {
  readonly takes: readonly unknown[];
  readonly refuses: readonly Refusal[];
  readonly required?: true;
}

export const required = (field: Field): Field => ({ ...field, required: true });

/** A field with further examples. */
export const also = (field: Field, { takes = [], refuses = [] }: Partial<Field>): Field => ({
  ...field,
  takes: [...field.takes, ...takes],
  refuses: [...field.refuses, ...refuses],
});

export const line = (length: number): Field => ({
  takes: ["x", " ", "ü".repeat(length), "😀".repeat(length)],
  refuses: [
    [null, "must be string"],
    [1, "must be string"],
    ["", "must have at least 1 character"],
    ["x".repeat(length + 1), `must have at most ${length} characters`],
    ["a\nb", PRINTABLE],
    ["\ud800", PRINTABLE],
  ],
});

/** Any storable text, several lines or none. */
export const prose = (length: number): Field => ({
  takes: ["", "two\nlines", "😀".repeat(length)],
  refuses: [
    [null, "must be string"],
    [["x"], "must be string"],
    ["x".repeat(length + 1), `must have at most ${length} characters`],
    ["a\u0000", STORABLE],
    ["\udc00", STORABLE],
  ],
});

export const many = (count: number, entry: unknown) => Array.from({ length: count }, () => entry);

/** A list of `least` to `most` entries. A fault is placed in the second one. */
export function listOf(entry: Field, least: 0 | 1, most: number): Field {
  const [first] = entry.takes;
  return {
    takes: [
      [first],
      many(most, first),
      ...(least === 0 ? [[]] : []),
      ...entry.takes.map((value) => [first, value]),
    ],
    refuses: [
      [null, "must be array"],
      [first, "must be array"],
      ...(least === 1 ? [[[], "must have at least 1 entry"] as const] : []),
      [many(most + 1, first), `must have at most ${most} entries`],
      ...entry.refuses.map(([value, message, path = ""]) => [[first, value], message, `/1${path}`] as const),
    ],
  };
}

export function oneOf(...values: readonly [string, ...string[]]): Field {
  const message = `must be one of ${values.join(", ")}`;
  return { takes: values, refuses: [null, "", "typo", [values[0]]].map((value) => [value, message]) };
}

export const amount: Field = {
  takes: [0, 1, MAX],
  refuses: [
    [null, "must be integer"],
    ["1", "must be integer"],
    [0.5, "must be integer"],
    [-1, "must be at least 0"],
    [MAX + 1, `must be at most ${MAX}`],
  ],
};

export const currency: Field = {
  takes: ["EUR", "JPY"],
  refuses: [
    [null, "must be string"],
    [978, "must be string"],
    ["", CURRENCY],
    ["eur", CURRENCY],
    ["XXY", CURRENCY],
  ],
};

export const timestamp: Field = {
  takes: [AT, "2026-05-01T00:00:00.123456789Z"],
  refuses: [
    [null, "must be string"],
    [1_777_629_600, "must be string"],
    ["2026-05-01", TIMESTAMP],
    ["2026-05-01T00:00:00", TIMESTAMP],
    ["1999-12-31T23:59:59Z", TIMESTAMP],
  ],
};

/** Any string: an id of the wrong form is unknown, not malformed. */
export const id: Field = {
  takes: [ID, "", "x", "\u0000"],
  refuses: [
    [null, "must be string"],
    [1, "must be string"],
    [[ID], "must be string"],
  ],
};

/** An object of these fields only. `whole` has at least the required ones; every field is tried in it, and then all together. */
export function object(
  fields: Readonly<Record<string, Field>>,
  whole: Readonly<Record<string, unknown>>,
): Field {
  const all = Object.entries(fields).flatMap(
    ([
      name,
      {
        takes: [first],
      },
    ]) => (first === undefined ? [] : [[name, first] as const]),
  );
  const takes: unknown[] = [whole, { ...Object.fromEntries(all), ...whole }];
  const refuses: Refusal[] = [
    ...[null, 1, "x", true, [], [whole]].map((value) => [value, "must be object"] as const),
    [{ ...whole, typo: 1 }, "is not a known field", "/typo"],
  ];
  for (const [name, field] of Object.entries(fields)) {
    const { [name]: _, ...without } = whole;
    if (field.required) refuses.push([without, "is required", `/${name}`]);
    else takes.push(without);
    for (const value of field.takes) takes.push({ ...whole, [name]: value });
    for (const [value, message, path = ""] of field.refuses) {
      refuses.push([{ ...whole, [name]: value }, message, `/${name}${path}`]);
    }
  }
  return { takes, refuses };
}

export const pagination = object(
  {
    limit: {
      takes: [1, 1000],
      refuses: [
        [0, "must be at least 1"],
        [1001, "must be at most 1000"],
        [1.5, "must be integer"],
        ["10", "must be integer"],
        [null, "must be integer"],
      ],
    },
    cursor: {
      takes: [null, "", "x".repeat(1024)],
      refuses: [
        [1, "must be string or null"],
        ["x".repeat(1025), "must have at most 1024 characters"],
      ],
    },
    skip: {
      takes: [0, 100_000],
      refuses: [
        [-1, "must be at least 0"],
        [100_001, "must be at most 100000"],
      ],
    },
  },
  {},
);

export const overlapSeconds: Field = {
  takes: [0, 604_800],
  refuses: [
    [-1, "must be at least 0"],
    [604_801, "must be at most 604800"],
    [1.5, "must be integer"],
    ["60", "must be integer"],
  ],
};

export const byId = object({ id: required(id) }, { id: ID });
export const list = object({ pagination }, {});

/** Tries the examples of every route of an API, each of which has some for each of its fields. */
export function tryRequests<R extends string>(
  requests: Readonly<Record<R, Field>>,
  routes: Readonly<Record<R, Pick<RouteDefinition, "request">>>,
  validators: Readonly<Record<R, Validate>>,
): void {
  const issueIn = (route: R, body: unknown) => {
    const validate = validators[route];
    if (validate(JSON.parse(JSON.stringify(body)))) return undefined;
    const violation = validate.errors?.at(-1);
    if (violation === undefined) throw new Error("refused without a reason");
    return describeViolation(violation);
  };
  const show = (body: unknown) => JSON.stringify(body).slice(0, 80);
  for (const [route, { takes, refuses }] of Object.entries(requests) as [R, Field][]) {
    t.test(`${route} - well-formed requests are taken, to their bounds`, async (t) => {
      for (const body of takes) t.equal(issueIn(route, body), undefined, show(body));
    });

    t.test(`${route} - malformed requests are refused by place and rule`, async (t) => {
      for (const [body, message, path = ""] of refuses) {
        t.strictSame(issueIn(route, body), { path, message }, show(body));
      }
      const { properties = {} } = routes[route].request as { readonly properties?: object };
      const tried = new Set(refuses.map(([, , path = ""]) => path));
      for (const name of Object.keys(properties)) t.ok(tried.has(`/${name}`), `${name} is tried`);
    });
  }
}
