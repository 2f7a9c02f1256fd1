import { gzipSync } from "node:zlib";
import type { SeededRandom } from "#domain";

/** A body that is wrong as a whole: an issue cannot name one of its fields. */
export interface RawFault {
  readonly what: string;
  readonly bytes: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  /** Nevertheless an issue may name one of its fields. */
  readonly vague?: boolean;
}

const bad = (what: string, bytes: string | Uint8Array, headers?: Record<string, string>): RawFault => ({
  what,
  bytes: typeof bytes === "string" ? Buffer.from(bytes) : bytes,
  status: 400,
  ...(headers !== undefined && { headers }),
});

const typed = (contentType: string, body: string): RawFault => ({
  what: `content-type ${JSON.stringify(contentType)}`,
  bytes: Buffer.from(body),
  headers: { "content-type": contentType },
  status: 415,
});

const DEPTH = 20_000;

/** `body` is valid JSON of the route; the fault is made from it. */
const FAULTS: ReadonlyArray<(body: string, random: SeededRandom) => RawFault> = [
  () => bad("an empty body", ""),
  () => bad("white space alone", " \r\n\t "),
  (body) => bad("the body in an array", `[${body}]`),
  (_, random) => bad("a scalar", random.pick(["null", "true", "0", '"text"', "-0.5e1", '""'])),
  (body, random) => bad("garbage behind", body + random.pick(["x", "}", "\u0000", body, ",", "/* */"])),
  (body, random) => bad("cut off", body.slice(0, random.between(0, body.length - 1))),
  (body) => bad("a comma too many", `${body.slice(0, -1)},}`),
  (body, random) =>
    bad("not JSON", random.pick([`(${body})`, "{a:1}", "{'a':1}", "NaN", "[Infinity]", "undefined"])),
  (body) => bad("a comment", `/**/${body}`),
  (body) => bad("UTF-16, little end first", Buffer.from(body, "utf16le")),
  (body) =>
    bad("UTF-16 with its mark", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(body, "utf16le")])),
  (body) => bad("UTF-8 with a byte order mark", `\ufeff${body}`),
  (body) => bad("Latin-1", insert(body, [0xe4])),
  (body) => bad("half of a surrogate pair in bytes", insert(body, [0xed, 0xa0, 0x80])),
  (body) => bad("an overlong encoding", insert(body, [0xc0, 0x80])),
  (body) => bad("past the last code point", insert(body, [0xf4, 0x90, 0x80, 0x80])),
  (body) => bad("a raw control character", insert(body, [0x00])),
  (body) => bad("gzip", gzipSync(body), { "content-encoding": "gzip" }),
  () => bad("nested without end", "[".repeat(DEPTH)),
  () => bad("nested very deep", `${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}`),
  () => ({
    ...bad("objects nested very deep", `${'{"a":'.repeat(DEPTH)}1${"}".repeat(DEPTH)}`),
    vague: true,
  }),
  (body, random) =>
    typed(
      random.pick([
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonp",
        "text/json",
        "",
        "json",
      ]),
      body,
    ),
];

export function makeRawFault(body: string, random: SeededRandom): RawFault {
  return random.pick(FAULTS)(body, random);
}

/** Puts them into a key or a text, if there is one; these bytes are wrong anywhere. */
function insert(body: string, bytes: readonly number[]): Uint8Array {
  const at = body.indexOf('"') + 1;
  return Buffer.concat([Buffer.from(body.slice(0, at)), Buffer.from(bytes), Buffer.from(body.slice(at))]);
}
