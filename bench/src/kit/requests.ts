import { createHash } from "node:crypto";
import { Pool } from "undici";

/** A whole HTTP request, ready to be written to a socket. */
export interface RequestBytes {
  readonly bytes: Buffer;
  /** Where the body begins. */
  readonly bodyAt: number;
}

interface RequestHead {
  readonly url: string;
  readonly path: string;
  readonly token: string;
  /** `prefer: respond-async`: the answer comes as soon as the events are queued. */
  readonly async?: boolean;
}

/**
 * Makes requests that differ in their bodies, before the clock starts: at run time the load only writes to
 * sockets.
 */
export function requestMaker({ url, path, token, async }: RequestHead): (body: string) => RequestBytes {
  const head = `POST ${path} HTTP/1.1\r\nhost: ${new URL(url).host}\r\nauthorization: Bearer ${token}\r\n\
content-type: application/json\r\n${async ? "prefer: respond-async\r\n" : ""}content-length: `;
  return (body) => {
    // The workloads are ASCII: a character is a byte.
    const start = `${head}${body.length}\r\n\r\n`;
    const bytes = Buffer.allocUnsafe(start.length + body.length);
    bytes.write(start, 0, "latin1");
    bytes.write(body, start.length, "latin1");
    return { bytes, bodyAt: start.length };
  };
}

/** SHA-256 of the bodies alone: the port in the head differs from run to run. */
export function hashBodies(requests: readonly RequestBytes[]): string {
  const hash = createHash("sha256");
  for (const { bytes, bodyAt } of requests) hash.update(bytes.subarray(bodyAt));
  return hash.digest("hex");
}

/** Sends requests one after the other over each of some connections, if each answer has to be read. */
export class Caller {
  readonly #pool: Pool;
  readonly #connections: number;

  constructor(url: string, connections: number) {
    this.#pool = new Pool(url, { connections, pipelining: 1 });
    this.#connections = connections;
  }

  /** @throws Error unless it is answered 200 */
  async ask(path: string, token: string, body: string): Promise<unknown> {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await this.#pool.request({ path, method: "POST", headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text.slice(0, 300)}`);
    return JSON.parse(text);
  }

  /**
   * Calls `work` with each number below `count`, as many concurrently as there are connections.
   * @param work resolves to whether to continue
   */
  async forEach(count: number, work: (number: number) => Promise<boolean>): Promise<void> {
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < count && (await work(next++)));
    };
    await Promise.all(Array.from({ length: this.#connections }, lane));
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
