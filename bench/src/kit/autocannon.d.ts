/** The part of autocannon 9 that is used here; it ships no types. */
declare module "autocannon" {
  import type { EventEmitter } from "node:events";

  /** One connection. */
  interface Client extends EventEmitter {
    /** Requests sent so far. */
    reqsMade: number;
    /** It closes itself after this many answers. */
    responseMax: number;
    /** The bytes of the request that is sent next. */
    getRequestBuffer(): Buffer;
    /** Its own copy of the options. */
    readonly opts: { verifyBody?: (body: string) => boolean };
    on(event: "response", listener: (status: number, bytes: number, milliseconds: number) => void): this;
  }
  interface Options {
    url: string;
    method: string;
    connections: number;
    pipelining: number;
    /** Requests in all. */
    amount: number;
    /** Seconds without an answer after which a connection is abandoned. */
    timeout: number;
    /** Milliseconds between autocannon's own samples, and the precision of its end. */
    sampleInt: number;
    setupClient(client: Client): void;
    verifyBody?(body: string): boolean;
  }
  interface Result {
    errors: number;
    timeouts: number;
  }
  interface Instance extends EventEmitter {
    on(
      event: "response",
      listener: (client: Client, status: number, bytes: number, milliseconds: number) => void,
    ): this;
  }
  export default function autocannon(
    options: Options,
    done: (error: Error | null, result: Result) => void,
  ): Instance;
}
