import autocannon, { type Client } from "autocannon";

/** What one connection sends and hears; it sends its next request when it has the answer to the one before. */
interface Connection {
  /** The bytes of the next request: autocannon would build them itself, and these are ready. */
  next(): Buffer;
  /** @returns whether this was its last one */
  answered(nowMs: number, latencyMs: number, status: number): boolean;
  /** Called right after `answered` with the body of the same answer; the next request is on its way by then. */
  body(text: string): void;
}

const ANSWER_TIMEOUT_SECONDS = 30;
/** More than any run can send: the end is by time. */
const ENDLESS = 1e9;

/** autocannon: keep-alive, no pipelining. Resolves when every connection has had its last answer. */
export function runConnections(
  url: string,
  connections: readonly Connection[],
  amount = ENDLESS,
): Promise<void> {
  let opened = 0;
  const setupClient = (client: Client): void => {
    const connection = connections[opened++] as Connection;
    client.getRequestBuffer = () => connection.next();
    client.on("response", (status, _bytes, milliseconds) => {
      if (connection.answered(performance.now(), milliseconds, status)) client.responseMax = client.reqsMade;
    });
    client.opts.verifyBody = (text) => {
      connection.body(text);
      return true;
    };
  };
  const options = { url, connections: connections.length, amount, setupClient };
  const fixed = { method: "POST", pipelining: 1, timeout: ANSWER_TIMEOUT_SECONDS, sampleInt: 100 } as const;
  return new Promise((resolve, reject) => {
    autocannon({ ...options, ...fixed }, (error) => (error ? reject(error) : resolve()));
  });
}
