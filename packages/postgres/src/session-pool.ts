import { ConnectionError } from "./database-errors.ts";
import type { Session } from "./session.ts";
import type { PoolState, StoreObserver } from "./store.ts";

interface Waiting {
  readonly take: (session: Session) => void;
  readonly refuse: (reason: Error) => void;
}

/** At most `max` sessions, opened when needed. Callers wait in line, and bound how many they are. */
export class SessionPool {
  readonly #openSession: () => Session;
  readonly #max: number;
  readonly #observer: StoreObserver | undefined;
  readonly #idle: Session[] = [];
  readonly #inUse = new Set<Session>();
  readonly #waiting: Waiting[] = [];
  #closed: Promise<void> | undefined;
  #onAllBack: (() => void) | undefined;

  constructor(max: number, openSession: () => Session, observer?: StoreObserver) {
    if (max < 1) throw new RangeError("a store needs at least one connection");
    this.#max = max;
    this.#openSession = openSession;
    this.#observer = observer;
    observer?.opened(() => this.#state());
  }

  /** Nobody else uses the session until `work` has settled. */
  async use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.#take();
    try {
      return await work(session);
    } finally {
      this.#putBack(session);
    }
  }

  #state(): PoolState {
    return {
      inUse: this.#inUse.size,
      idle: this.#idle.filter((session) => !session.lost).length,
      waiting: this.#waiting.length,
      limit: this.#max,
    };
  }

  /** Refuses those who wait and new callers; lets work under way finish for `timeoutMs`, then cuts it off. */
  close(timeoutMs: number): Promise<void> {
    this.#closed ??= this.#drain(timeoutMs);
    return this.#closed;
  }

  #take(): Session | Promise<Session> {
    if (this.#closed !== undefined) throw ended();
    // The session that was used last comes first: its caches are warm, and the surplus stays idle.
    for (let session = this.#idle.pop(); session !== undefined; session = this.#idle.pop()) {
      if (!session.lost) return this.#lendAtOnce(session);
    }
    if (this.#inUse.size < this.#max) return this.#lendAtOnce(this.#openSession());
    const since = performance.now();
    return new Promise((resolve, refuse) => {
      const take = (session: Session) => {
        this.#observer?.waited((performance.now() - since) / 1000);
        resolve(session);
      };
      this.#waiting.push({ take, refuse });
    });
  }

  #lendAtOnce(session: Session): Session {
    this.#observer?.waited(0);
    return this.#lend(session);
  }

  #lend(session: Session): Session {
    this.#inUse.add(session);
    return session;
  }

  #putBack(session: Session): void {
    this.#inUse.delete(session);
    const next = this.#waiting.shift();
    if (next !== undefined) {
      next.take(this.#lend(session.lost ? this.#openSession() : session));
    } else if (!session.lost) {
      this.#idle.push(session);
    }
    if (this.#inUse.size === 0) this.#onAllBack?.();
  }

  async #drain(timeoutMs: number): Promise<void> {
    for (const { refuse } of this.#waiting.splice(0)) refuse(ended());
    if (this.#inUse.size > 0) await this.#allBack(timeoutMs);
    await Promise.all(this.#idle.splice(0).map((session) => session.end()));
  }

  async #allBack(timeoutMs: number): Promise<void> {
    const allBack = new Promise<void>((resolve) => {
      this.#onAllBack = resolve;
    });
    const timer = setTimeout(() => {
      for (const session of this.#inUse) void session.end();
    }, timeoutMs);
    await allBack;
    clearTimeout(timer);
  }
}

function ended(): ConnectionError {
  return new ConnectionError("CONNECTION_ENDED", "the store was closed");
}
