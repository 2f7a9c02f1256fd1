import autocannon, { type Client } from "autocannon";

/**
 * The requests and answers of one connection; it sends its next request once it has the answer to the
 * previous one.
 */
interface Connection {
  /** The bytes of the next request, prepared, because autocannon would otherwise build them itself. */
  next(): Buffer;
  /** @returns whether this was its last one */
  answered(nowMs: number, latencyMs: number, status: number): boolean;
  /**
   * Called right after `answered` with the body of the same answer; the next request has been sent by then.
   */
  body(text: string): void;
}

const ANSWER_TIMEOUT_SECONDS = 30;
/** More than any run can send: the time ends it. */
const ENDLESS = 1e9;

/** autocannon: keep-alive, no pipelining. Resolves once every connection has its last answer. */
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
