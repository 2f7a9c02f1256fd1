import type { SeededRandom } from "#domain";
import { chunked } from "./chunked-body.ts";

/** One request as bytes, and its possible answers. */
export interface WireRequest {
  readonly what: string;
  readonly bytes: Buffer;
  /** The answer's status, if the server takes the head. */
  readonly status: number;
  /** The server ends the connection behind the answer, and may ignore all that follows. */
  readonly isLast: boolean;
  /**
   * The server may also refuse it with 400 and close the connection: legal, but more than a server must take.
   */
  readonly mayBeRefused: boolean;
  /** The answer has a length but no body. */
  readonly isHead: boolean;
  /** The trace id of its `traceparent`, if it has one. */
  readonly traceId: string | undefined;
  /** The name of the memberbase that it makes, if it is answered with 200. */
  readonly makes: string | undefined;
}

/** What all requests of a run share. */
export interface HeadWorld {
  readonly adapter: "node" | "uws";
  readonly token: string;
  /** A part of the names of all memberbases that the run makes. */
  readonly mark: string;
}

/** Contract, section 1. */
export const HEAD_BYTES = 8192;
const FIELDS = 100;
const EDGES = [4096, HEAD_BYTES] as const;
const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
const HEX = "0123456789abcdef";

interface Base {
  readonly what: string;
  readonly share: number;
  readonly line?: string;
  readonly status: number;
  readonly fields?: readonly string[];
  /** Replaces the fields that every request has. */
  readonly instead?: Partial<Record<"host" | "authorization" | "content-type", string | undefined>>;
  readonly body?: string;
  readonly isLast?: boolean;
  /** The fields that give the length, if not in the usual way. */
  readonly lengths?: (bytes: number) => readonly string[];
}

const CREATE = "POST /publisher.v1/member-base/create HTTP/1.1";
const LIST = "POST /publisher.v1/member-base/list HTTP/1.1";
const SMALL_LIST = '{"pagination":{"limit":1}}';
const fatal = (what: string, more: Partial<Base>): Base => ({
  what,
  share: 1,
  status: 400,
  isLast: true,
  ...more,
});

/**
 * uWebSockets.js ends the head at a field without a name, so it does not see the fields behind it: their
 * order decides which refusal comes, and none need come.
 */
const NOT_SEEN_BY_UWS = "a field without a name";
const BASES: readonly Base[] = [
  { what: "create", share: 40, line: CREATE, status: 200 },
  { what: "list", share: 25, line: LIST, status: 200, body: SMALL_LIST },
  {
    what: "list with a query",
    share: 3,
    line: LIST.replace(" HTTP", "?a=b&c HTTP"),
    status: 200,
    body: SMALL_LIST,
  },
  { what: "unknown path", share: 4, line: "POST /publisher.v1/no/such HTTP/1.1", status: 404, body: "{}" },
  { what: "another method", share: 3, line: LIST.replace("POST", "PUT"), status: 405, body: "{}" },
  { what: "HEAD of a page", share: 2, line: "HEAD /openapi.json HTTP/1.1", status: 200, lengths: () => [] },
  { what: "no token", share: 3, line: CREATE, status: 401, instead: { authorization: undefined } },
  { what: "another scheme", share: 2, line: CREATE, status: 401, instead: { authorization: "Basic YTpi" } },
  {
    what: "not JSON by its type",
    share: 2,
    line: CREATE,
    status: 415,
    instead: { "content-type": "text/plain" },
  },
  { what: "two types", share: 2, line: CREATE, status: 415, fields: ["content-type: application/json"] },
  { what: "not JSON", share: 3, line: CREATE, status: 400, body: '{"name":' },
  { what: "an unknown field", share: 2, line: CREATE, status: 400, body: '{"nam":"x"}' },
  fatal("two lengths", { line: CREATE, lengths: (n) => [`content-length: ${n}`, `content-length: ${n}`] }),
  fatal("a length and chunks", {
    line: CREATE,
    lengths: (n) => [`content-length: ${n}`, "transfer-encoding: chunked"],
  }),
  fatal("no length", { line: CREATE, lengths: () => [] }),
  fatal("a length that is no number", { line: CREATE, lengths: (n) => [`content-length: ${n}x`] }),
  fatal("another coding", { line: CREATE, lengths: () => ["transfer-encoding: gzip, chunked"] }),
  fatal("two hosts", { line: CREATE, fields: ["host: b"] }),
  fatal("no host", { line: CREATE, instead: { host: undefined } }),
  fatal("absolute form", { line: CREATE.replace(" /", " http://a/") }),
  fatal("asterisk form", { line: "OPTIONS * HTTP/1.1" }),
  fatal("HTTP/1.0", { line: CREATE.replace("1.1", "1.0") }),
  fatal("a method in lower case", { line: CREATE.replace("POST", "post") }),
  fatal("a blank before the colon", { line: CREATE, fields: ["x-a : b"] }),
  fatal(NOT_SEEN_BY_UWS, { line: CREATE, fields: [": b"] }),
  fatal("a field without a colon", { line: CREATE, fields: ["x-a"] }),
  fatal("NUL in a value", { line: CREATE, fields: ["x-a: b\u0000c"] }),
  fatal("a bare CR in a value", { line: CREATE, fields: ["x-a: b\rc"] }),
  fatal("a head without end", { line: CREATE, fields: [`x-pad: ${"p".repeat(HEAD_BYTES + 2000)}`] }),
];
const drawn = (bases: readonly Base[]) =>
  bases.flatMap((base) => Array.from({ length: base.share }, () => base));
const FIRST = drawn(BASES);
const FIRST_OVER_UWS = FIRST.filter(({ what }) => what !== NOT_SEEN_BY_UWS);
const BEHIND = drawn(BASES.filter(({ isLast }) => isLast !== true));

/**
 * The request of this number.
 * @param mayBreak whether it may be a request that no server can read past
 */
export function makeRequest(
  world: HeadWorld,
  random: SeededRandom,
  { number, mayBreak }: { readonly number: number; readonly mayBreak: boolean },
): WireRequest {
  const base = pickBase(random, mayBreak, world.adapter);
  const name = `${world.mark}-${number}`;
  const isHead = base.line?.startsWith("HEAD") === true;
  const body = isHead ? "" : (base.body ?? JSON.stringify({ name }));
  const traceId = random.chance(0.3) ? `1${random.text(HEX, 31)}` : undefined;
  const isChunked = base.lengths === undefined && random.chance(0.25);
  const coded = isChunked ? chunked(body, random) : Buffer.from(body);
  const { host = "a" } = base.instead ?? {};
  const own = [
    ...("host" in (base.instead ?? {}) ? [] : [`host: ${host}`]),
    ...field("authorization", `Bearer ${world.token}`, base.instead),
    ...field("content-type", "application/json", base.instead),
    ...(base.fields ?? []),
    ...(base.lengths?.(coded.length) ?? [
      isChunked ? "transfer-encoding: chunked" : `content-length: ${coded.length}`,
    ]),
    ...(traceId === undefined ? [] : [`traceparent: 00-${traceId}-00f067aa0ba902b7-01`]),
    ...(!isHead && base.isLast !== true && random.chance(0.06) ? ["expect: 100-continue"] : []),
  ];
  const line = base.line as string;
  const fields = decorate(line, own, random);
  const head = `${[line, ...fields].join("\r\n")}\r\n\r\n`;
  const { count, raw } = measure(line, fields);
  const isTooLarge = count > HEAD_BYTES;
  const isLast = base.isLast === true || isTooLarge;
  const isCreated = base.what === "create" && !isTooLarge;
  return {
    what: `${base.what}${isChunked ? ", in chunks" : ""}, head of ${raw} bytes, ${fields.length} fields`,
    bytes: Buffer.concat([Buffer.from(head, "latin1"), coded]),
    status: isTooLarge ? 400 : base.status,
    isLast,
    mayBeRefused: raw > HEAD_BYTES || fields.length > FIELDS,
    isHead,
    traceId,
    makes: isCreated ? name : undefined,
  };
}

function field(
  name: "authorization" | "content-type",
  value: string,
  instead: Base["instead"] = {},
): string[] {
  if (!(name in instead)) return [`${name}: ${value}`];
  return instead[name] === undefined ? [] : [`${name}: ${instead[name]}`];
}

/**
 * Adds legal fields, up to a size near a limit or up to a number, in any order, and blanks where they are
 * allowed.
 */
function decorate(line: string, own: readonly string[], random: SeededRandom): string[] {
  const fields = [...own];
  if (random.chance(0.2)) {
    const many = random.between(1, FIELDS + 3 - own.length);
    for (let n = 0; n < many; n++) fields.push(`x-${random.text(LETTERS, random.between(1, 12))}: ${n}`);
  }
  if (random.chance(0.1)) fields.push("x-twice: a", "x-twice: b", "X-Twice: c");
  const spaced = random.chance(0.2) ? fields.map((text) => respaced(text, random)) : fields;
  if (random.chance(0.25)) {
    const target = random.pick(EDGES) + random.between(-40, 12);
    const left = target - measure(line, spaced).raw - "x-pad: \r\n".length;
    if (left > 0) spaced.push(`x-pad: ${random.text(LETTERS, left)}`);
  }
  return random.chance(0.3) ? random.shuffle(spaced) : spaced;
}

/** Optional white space around a value (RFC 9112, section 5), and names without regard to case. */
function respaced(text: string, random: SeededRandom): string {
  const colon = text.indexOf(":");
  const isOdd = colon < 1 || text[colon - 1] === " " || /[^\t -~]/.test(text);
  if (isOdd || text.startsWith("content-length") || text.startsWith("transfer-encoding")) return text;
  const name = text.slice(0, colon);
  const blanks = () => random.pick(["", " ", "\t", "  ", " \t "]);
  const written = random.chance(0.5) ? name.toUpperCase() : name;
  return `${written}:${blanks()}${text.slice(colon + 1).trim()}${blanks()}`;
}

/** The bytes of the block with, and without, optional white space. */
function measure(line: string, fields: readonly string[]): { raw: number; count: number } {
  let [raw, count] = [line.length + 2, line.length + 2];
  for (const text of fields) {
    const colon = text.indexOf(":");
    raw += text.length + 2;
    count += colon < 0 ? text.length + 2 : colon + text.slice(colon + 1).trim().length + 4;
  }
  return { raw, count };
}

function pickBase(random: SeededRandom, mayBreak: boolean, adapter: HeadWorld["adapter"]): Base {
  if (!mayBreak) return random.pick(BEHIND);
  return random.pick(adapter === "uws" ? FIRST_OVER_UWS : FIRST);
}
