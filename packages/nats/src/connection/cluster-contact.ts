import type { Server } from "@nats-io/transport-node";

/**
 * After this many milliseconds without any success the process tries another node. An election takes 4 to 9
 * s; moving to another node during one does no harm.
 */
const SILENCE_MS = 4_000;
/** The least time between moves, in milliseconds: if most nodes of a cluster are lost, none answers. */
const STAY_MS = 10_000;

/**
 * Watches whether the NATS node that this process is connected to still belongs to its cluster.
 *
 * A node that is cut off from the others keeps its clients and answers their pings, but stores none of their
 * messages and delivers none. The client would stay with it for as long as it is cut off. An ingest process
 * would keep its partitions all that time, and no other process may take them. So if JetStream answers no
 * request for a while, the process moves to another node.
 */
export class ClusterContact {
  readonly #leave: () => void;
  readonly #now: () => number;
  #heardAt = Number.NEGATIVE_INFINITY;
  /** Since when no request has been answered. */
  #silentSince: number | undefined;
  #unheardAt = Number.NEGATIVE_INFINITY;
  #leftAt = Number.NEGATIVE_INFINITY;
  #left: { readonly server: string; readonly at: number } | undefined;

  /**
   * @param leave breaks the connection, so that the client makes another
   * @param now in milliseconds
   */
  constructor(leave: () => void, now: () => number = () => performance.now()) {
    this.#leave = leave;
    this.#now = now;
  }

  /** Notes that a message, an acknowledgement or a refusal came: the node has a leader. */
  heard(): void {
    this.#heardAt = this.#now();
    this.#silentSince = undefined;
  }

  /** Notes that a request sent at `askedAt` (of `performance.now()`) has no answer. */
  unheard(askedAt: number): void {
    const now = this.#now();
    // The answer "nobody leads" comes immediately, so that many of them follow each other: the silence begins
    // with the first. Two that lie far apart are no silence. A process asks every second, and not every
    // answer in between is reported here, because a node that is cut off can give some of them without its
    // cluster.
    if (now - this.#unheardAt > SILENCE_MS) this.#silentSince = undefined;
    this.#unheardAt = now;
    this.#silentSince ??= Math.max(askedAt, this.#heardAt);
    if (now - this.#silentSince < SILENCE_MS || now - this.#leftAt < STAY_MS) return;
    this.#leftAt = now;
    this.#leave();
  }

  /** The connection to a server ended, by either side. */
  lost(server: string): void {
    this.#left = { server, at: Date.now() };
  }

  /** The server tried longest ago. The client's default would begin with the one that it has just lost. */
  next(servers: readonly Server[]): Server | null {
    const triedAt = ({ listen, lastConnect }: Server) =>
      listen === this.#left?.server ? Math.max(lastConnect, this.#left.at) : lastConnect;
    return servers.reduce<Server | null>(
      (oldest, server) => (oldest === null || triedAt(server) < triedAt(oldest) ? server : oldest),
      null,
    );
  }
}
