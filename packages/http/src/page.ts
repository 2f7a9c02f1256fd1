import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { HttpRequest, HttpResponse } from "./server.ts";

const compressGzip = promisify(gzip);
const compressBrotli = promisify(brotliCompress);
const GZIP = { level: 9 };
/**
 * Quality 11 saves a fourteenth more than 9, and takes three seconds for the largest script of the API's
 * reference.
 */
const BROTLI_BEST_BYTES = 64 * 1024;
/**
 * A year; no cache keeps anything for longer. Browsers do not revalidate it on a reload either (RFC 8246).
 */
const FOR_EVER = "max-age=31536000, immutable";

export interface PageSource {
  /** The page's name in metrics and logs; several pages may share it. */
  readonly label: string;
  readonly contentType: string;
  readonly body: string | Uint8Array;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The path changes with the content, so that a client never asks for the same content twice. */
  readonly isImmutable?: boolean;
}

/**
 * The answer to a GET of a path, for anyone. It stays in memory in every requested encoding, so that a
 * request costs a copy. The first request for an encoding waits for it: compressing the API's reference at
 * each start took a third of the CPU time of an edge's start.
 */
export interface Page {
  readonly label: string;
  readonly plain: Representation;
  gzipped(): Promise<Representation>;
  brotli(): Promise<Representation>;
}

/** One encoding of a page; each has its own entity tag (RFC 9110, section 8.8.3). */
interface Representation {
  readonly etag: string;
  readonly full: HttpResponse;
  readonly unchanged: HttpResponse;
}

/** The request headers that decide which answer of a page is sent. */
export const PAGE_HEADERS = ["accept-encoding", "if-none-match"] as const;

export function createPage(source: PageSource): Page {
  const { label, contentType, body, headers = {}, isImmutable = false } = source;
  const bytes = Buffer.from(body);
  const tag = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
  const represent = (encoded: Uint8Array, etag: string, encoding?: string): Representation => {
    const kept = isImmutable ? { "cache-control": FOR_EVER } : { "cache-control": "no-cache", etag };
    const validators = { ...headers, ...kept, vary: "accept-encoding" };
    const described = { ...validators, "content-type": contentType };
    const full = encoding === undefined ? described : { ...described, "content-encoding": encoding };
    return {
      etag,
      full: { status: 200, headers: full, body: encoded },
      unchanged: { status: 304, headers: validators, body: "" },
    };
  };
  const quality = bytes.length > BROTLI_BEST_BYTES ? 9 : 11;
  const gzipped = async () => represent(await compressGzip(bytes, GZIP), `"${tag}-gzip"`, "gzip");
  const brotli = async () => {
    const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
    return represent(await compressBrotli(bytes, { params }), `"${tag}-br"`, "br");
  };
  return { label, plain: represent(bytes, `"${tag}"`), gzipped: once(gzipped), brotli: once(brotli) };
}

/** After a failure, such as a lack of memory, the next request tries again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/** A path that leads to another address. */
export function createRedirect(label: string, location: string): Page {
  const answer = { status: 302, headers: { location, "cache-control": "no-cache" }, body: "" };
  const only = { etag: "", full: answer, unchanged: answer };
  const same = async () => only;
  return { label, plain: only, gzipped: same, brotli: same };
}

/**
 * The answer to a GET or HEAD: the page in the shortest encoding that the client accepts, or 304 if the
 * client has it already. If the page cannot be compressed now, it is sent uncompressed.
 */
export async function answerPage(page: Page, request: HttpRequest): Promise<HttpResponse> {
  const accepted = request.header("accept-encoding") ?? "";
  const shortest = accepts(accepted, "br")
    ? page.brotli
    : accepts(accepted, "gzip")
      ? page.gzipped
      : undefined;
  const chosen = (await shortest?.().catch(() => undefined)) ?? page.plain;
  return isKnown(chosen.etag, request.header("if-none-match") ?? "") ? chosen.unchanged : chosen.full;
}

function accepts(acceptEncoding: string, encoding: string): boolean {
  return acceptEncoding.split(",").some((entry) => {
    const [coding = "", ...parameters] = entry.split(";");
    const isRefused = parameters.some((parameter) => /^\s*q\s*=\s*0(\.0*)?\s*$/i.test(parameter));
    return coding.trim().toLowerCase() === encoding && !isRefused;
  });
}

/** Tags are compared weakly (RFC 9110, section 13.1.2). */
function isKnown(etag: string, ifNoneMatch: string): boolean {
  return ifNoneMatch.split(",").some((entry) => {
    const tag = entry.trim().replace(/^W\//, "");
    return tag === etag || tag === "*";
  });
}
