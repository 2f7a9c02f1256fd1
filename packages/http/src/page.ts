import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { HttpRequest, HttpResponse } from "./server.ts";

const compress = promisify(gzip);

export interface PageSource {
  /** The page's name in metrics and logs; several pages may share it. */
  readonly label: string;
  readonly contentType: string;
  readonly body: string | Uint8Array;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a GET of a path gives, to anyone. In memory in both encodings, so that a request costs a copy. */
export interface Page {
  readonly label: string;
  readonly plain: Representation;
  readonly gzipped: Representation;
}

/** One encoding of a page; each has an entity tag of its own (RFC 9110, section 8.8.3). */
interface Representation {
  readonly etag: string;
  readonly full: HttpResponse;
  readonly unchanged: HttpResponse;
}

/** The request headers that decide which answer of a page is sent. */
export const PAGE_HEADERS = ["accept-encoding", "if-none-match"] as const;

export async function createPage({ label, contentType, body, headers = {} }: PageSource): Promise<Page> {
  const bytes = Buffer.from(body);
  const tag = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
  const represent = (encoded: Uint8Array, etag: string, encoding?: string): Representation => {
    const validators = { ...headers, "cache-control": "no-cache", vary: "accept-encoding", etag };
    const described = { ...validators, "content-type": contentType };
    const full = encoding === undefined ? described : { ...described, "content-encoding": encoding };
    return {
      etag,
      full: { status: 200, headers: full, body: encoded },
      unchanged: { status: 304, headers: validators, body: "" },
    };
  };
  return {
    label,
    plain: represent(bytes, `"${tag}"`),
    gzipped: represent(await compress(bytes, { level: 9 }), `"${tag}-gzip"`, "gzip"),
  };
}

/** A path that leads to another address. */
export function createRedirect(label: string, location: string): Page {
  const answer = { status: 302, headers: { location, "cache-control": "no-cache" }, body: "" };
  const only = { etag: "", full: answer, unchanged: answer };
  return { label, plain: only, gzipped: only };
}

/** The answer to a GET or HEAD: the page, or 304 for a client that has it already. */
export function answerPage(page: Page, request: HttpRequest): HttpResponse {
  const chosen = acceptsGzip(request.header("accept-encoding") ?? "") ? page.gzipped : page.plain;
  return isKnown(chosen.etag, request.header("if-none-match") ?? "") ? chosen.unchanged : chosen.full;
}

function acceptsGzip(acceptEncoding: string): boolean {
  return acceptEncoding.split(",").some((entry) => {
    const [coding = "", ...parameters] = entry.split(";");
    const isRefused = parameters.some((parameter) => /^\s*q\s*=\s*0(\.0*)?\s*$/i.test(parameter));
    return coding.trim().toLowerCase() === "gzip" && !isRefused;
  });
}

/** Tags are compared weakly (RFC 9110, section 13.1.2). */
function isKnown(etag: string, ifNoneMatch: string): boolean {
  return ifNoneMatch.split(",").some((entry) => {
    const tag = entry.trim().replace(/^W\//, "");
    return tag === etag || tag === "*";
  });
}
