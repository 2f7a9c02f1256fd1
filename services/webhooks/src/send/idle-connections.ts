import type { OutgoingConnection } from "./outgoing-connection.ts";

/**
 * Connections that wait for their next request, up to a number over all origins; nothing is kept for an origin that has
 * none. One that is in use is not here, and how many those are is up to whoever sends: one slow webhook must never keep
 * another of the same origin waiting for a connection.
 */
export class IdleConnections {
  readonly #max: number;
  /** Longest idle first. */
  readonly #all = new Set<OutgoingConnection>();
  readonly #byOrigin = new Map<string, OutgoingConnection[]>();
  #isClosed = false;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#all.size;
  }

  /** The one that was used last: the others can come to their end. */
  take(origin: string): OutgoingConnection | undefined {
    const connection = this.#byOrigin.get(origin)?.at(-1);
    if (connection !== undefined) this.remove(connection);
    return connection;
  }

  put(connection: OutgoingConnection): void {
    if (!connection.isUsable) return;
    if (this.#isClosed) {
      connection.destroy();
      return;
    }
    const ofOrigin = this.#byOrigin.get(connection.origin);
    if (ofOrigin === undefined) this.#byOrigin.set(connection.origin, [connection]);
    else ofOrigin.push(connection);
    this.#all.add(connection);
    if (this.#all.size <= this.#max) return;
    const [oldest] = this.#all;
    if (oldest === undefined) return;
    this.remove(oldest);
    oldest.destroy();
  }

  remove(connection: OutgoingConnection): void {
    if (!this.#all.delete(connection)) return;
    const ofOrigin = this.#byOrigin.get(connection.origin) ?? [];
    ofOrigin.splice(ofOrigin.lastIndexOf(connection), 1);
    if (ofOrigin.length === 0) this.#byOrigin.delete(connection.origin);
  }

  /** Ends them all, and what is put here from now on. */
  close(): void {
    this.#isClosed = true;
    for (const connection of this.#all) connection.destroy();
    this.#all.clear();
    this.#byOrigin.clear();
  }
}
