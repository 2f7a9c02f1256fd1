import { Agent, request } from "node:http";
import type { Socket } from "node:net";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import t from "tap";
import { makeConsoleLink } from "#publisher-db";
import { NO_API, openConsole } from "./test-console.ts";

/** The bytes from the server to a browser on its first visit: status lines, headers and bodies. */
const WIRE_BYTES_MAX = 150_000;

const PLAIN = (body: Buffer) => body;
const DECODERS: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
};

/** A browser with one connection, which counts the bytes that come over it. */
class Wire {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #sockets = new Set<Socket>();
  readonly #encodings: string;
  requests = 0;

  constructor(encodings: string) {
    this.#encodings = encodings;
  }

  get bytes(): number {
    return [...this.#sockets].reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  }

  /** @param body of a POST; undefined: a GET */
  ask(url: string, body?: object, headers: Record<string, string> = {}): Promise<Answered> {
    this.requests++;
    const method = body === undefined ? "GET" : "POST";
    const all = { "accept-encoding": this.#encodings, ...headers };
    return new Promise((resolve, reject) => {
      const sent = request(url, { method, agent: this.#agent, headers: all }, (response) => {
        this.#sockets.add(response.socket);
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece));
        response.on("end", () => {
          const decode = DECODERS[response.headers["content-encoding"] ?? ""] ?? PLAIN;
          const cookie = response.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
          resolve({ status: response.statusCode, text: String(decode(Buffer.concat(pieces))), cookie });
        });
      });
      sent.on("error", reject);
      sent.end(body && JSON.stringify(body));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

interface Answered {
  readonly status: number | undefined;
  readonly text: string;
  readonly cookie: string;
}

t.test(
  "a first visit - costs less than 150 KB, headers and all, and no import is a round trip",
  async (t) => {
    const { pipeline, url } = await openConsole(t, NO_API);
    // Safari, and browsers that load the console over plain HTTP by a name, read gzip only.
    for (const encodings of ["gzip, deflate", "gzip, deflate, br, zstd"]) {
      const wire = new Wire(encodings);
      t.teardown(() => wire.close());
      const link = await makeConsoleLink(pipeline.store, url, { user: "ada", role: "administrator" });
      const index = await wire.ask(url);
      const named = [...index.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = ""]) => path);
      const loaded = new Map<string, string>();
      for (const path of new Set(named)) {
        const { status, text } = await wire.ask(new URL(path, url).href);
        t.equal(status, 200, path);
        loaded.set(path, text);
      }
      t.strictSame(
        importsOf(loaded).filter((path) => !loaded.has(path)),
        [],
        "the page names all imports",
      );
      const own = {
        "content-type": "application/json",
        "stampede-console": "1",
        origin: new URL(url).origin,
      };
      const opened = await wire.ask(`${url}api/session/open`, { link: link.split("#link=")[1] }, own);
      const session = await wire.ask(`${url}api/session`, {}, { ...own, cookie: opened.cookie });
      t.match(JSON.parse(session.text), { user: "ada", role: "administrator" });
      t.comment(`${encodings}: ${wire.requests} requests, ${wire.bytes} bytes on the wire`);
      t.ok(wire.bytes > 20_000, "it was counted");
      t.ok(wire.bytes < WIRE_BYTES_MAX, `${wire.bytes} bytes`);
    }
  },
);

/** The paths that scripts import, by path and text. */
function importsOf(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([path, text]) => {
    const specifiers = path.endsWith(".js") ? text.matchAll(/\b(?:from|import)\s*"(\.[^"]+)"/g) : [];
    return [...specifiers].map(([, specifier = ""]) => new URL(specifier, `http://x${path}`).pathname);
  });
}
