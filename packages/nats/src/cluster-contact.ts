import type { Server } from "@nats-io/transport-node";

/** How long nothing may succeed before another node is tried. An election takes 4 to 9 s, and moving then does no harm. */
const SILENCE_MS = 4_000;
/** Moves are at least so far apart: a cluster of which most is gone answers nowhere. */
const STAY_MS = 10_000;

/**
 * Watches whether the NATS node that this process is connected to still belongs to its cluster.
 *
 * A node that is cut off from the others keeps its clients and answers their pings, while none of their messages is stored
 * and none arrives. The client would stay with it for as long as it is cut off: an ingest process with its partitions,
 * which nobody else may take. So when everything that was asked of JetStream for a while stayed without an answer, it
 * goes to another node.
 */
export class ClusterContact {
  readonly #leave: () => void;
  readonly #now: () => number;
  #heardAt = Number.NEGATIVE_INFINITY;
  /** Since when nothing was heard of what was asked. */
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

  /** A message, an acknowledgement or a refusal came: somebody leads. */
  heard(): void {
    this.#heardAt = this.#now();
    this.#silentSince = undefined;
  }

  /** What was asked at `askedAt` (`performance.now()`) has no answer. */
  unheard(askedAt: number): void {
    const now = this.#now();
    // Answers that say no more than that nobody leads come at once, one after the other: the first of them counts. Two that
    // lie far apart are no silence: a process asks every second, and what was answered in between is not told here, since a
    // node may answer that by itself.
    if (now - this.#unheardAt > SILENCE_MS) this.#silentSince = undefined;
    this.#unheardAt = now;
    this.#silentSince ??= Math.max(askedAt, this.#heardAt);
    if (now - this.#silentSince < SILENCE_MS || now - this.#leftAt < STAY_MS) return;
    this.#leftAt = now;
    this.#leave();
  }

  /** The connection to a server ended, whoever ended it. */
  lost(server: string): void {
    this.#left = { server, at: Date.now() };
  }

  /** The server to dial next: the one that was tried longest ago. The client itself would begin with the one it has lost. */
  next(servers: readonly Server[]): Server | null {
    const triedAt = ({ listen, lastConnect }: Server) =>
      listen === this.#left?.server ? Math.max(lastConnect, this.#left.at) : lastConnect;
    return servers.reduce<Server | null>(
      (oldest, server) => (oldest === null || triedAt(server) < triedAt(oldest) ? server : oldest),
      null,
    );
  }
}
