import { LIMITS } from "#contract";
import { ConnectionError } from "./database-errors.ts";
import type { Session } from "./session.ts";
import type { StoreObserver } from "./store.ts";

interface Waiting {
  readonly take: (session: Session) => void;
  readonly refuse: (reason: Error) => void;
}

/** The queue of one owner's work. */
export class Line {
  /** Undefined: the process's own line, which takes every free connection. */
  readonly owner: string | undefined;
  readonly waiting: Waiting[] = [];
  inUse = 0;

  constructor(owner?: string) {
    this.owner = owner;
  }
}

/** An owner may take another connection while it has fewer than this factor times the free ones. */
const SHARE = 2;

/**
 * At most `max` sessions, opened when needed, and shared out by owners. Work that finds no free session waits
 * in its owner's line, and the lines take turns, so that no owner waits behind another's line.
 *
 * Turns alone are not enough: an owner that finds all connections in use waits for the statements of the
 * others. So an owner's share depends on the number of free connections, and the last free one is for an
 * owner that has none: of eight, one owner gets six, and two get three or four each. So there is nothing to
 * configure, and a single owner still gets a large share.
 */
export class SessionPool {
  readonly #openSession: () => Session;
  readonly #max: number;
  readonly #observer: StoreObserver | undefined;
  readonly #idle: Session[] = [];
  readonly #inUse = new Set<Session>();
  /** The lines with waiting callers; a line that had a turn goes to the end. */
  readonly #lines = new Set<Line>();
  #closed: Promise<void> | undefined;
  #onAllBack: (() => void) | undefined;

  constructor(max: number, openSession: () => Session, observer?: StoreObserver) {
    if (max < 1) throw new RangeError("a store needs at least one connection");
    this.#max = max;
    this.#openSession = openSession;
    this.#observer = observer;
    observer?.opened(() => this.#waiting());
  }

  /**
   * Gives `work` a session of its own until it has settled.
   * @throws ConnectionError LINE_FULL if too much work of its owner waits already, or this has waited for too
   * long
   */
  async use<T>(line: Line, work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.#take(line);
    try {
      return await work(session);
    } finally {
      this.#putBack(session, line);
    }
  }

  #waiting(): number {
    let waiting = 0;
    for (const line of this.#lines) waiting += line.waiting.length;
    return waiting;
  }

  /** Refuses waiting and new callers; lets work under way finish for `timeoutMs`, then cuts it off. */
  close(timeoutMs: number): Promise<void> {
    this.#closed ??= this.#drain(timeoutMs);
    return this.#closed;
  }

  #take(line: Line): Session | Promise<Session> {
    if (this.#closed !== undefined) throw ended();
    if (this.#mayTake(line)) {
      this.#observer?.waited(0);
      return this.#lend(line);
    }
    const { owner, waiting } = line;
    if (owner !== undefined && waiting.length >= LIMITS.waitingPerLine) {
      throw new ConnectionError(
        "LINE_FULL",
        `${waiting.length} statements of ${owner} wait for a connection`,
      );
    }
    this.#lines.add(line);
    const since = performance.now();
    return new Promise((resolve, refuse) => {
      const timer = owner === undefined ? undefined : this.#startTimer(line);
      waiting.push({
        take: (session) => {
          clearTimeout(timer);
          this.#observer?.waited((performance.now() - since) / 1000);
          resolve(session);
        },
        refuse: (reason) => {
          clearTimeout(timer);
          refuse(reason);
        },
      });
    });
  }

  /** Its first caller is the first to time out, because all wait equally long. */
  #startTimer(line: Line): NodeJS.Timeout {
    return setTimeout(() => {
      const first = this.#nextOf(line);
      const message = `no connection for ${line.owner} in ${LIMITS.lineWaitMs} ms`;
      first?.refuse(new ConnectionError("LINE_FULL", message));
    }, LIMITS.lineWaitMs);
  }

  #nextOf(line: Line): Waiting | undefined {
    const next = line.waiting.shift();
    if (line.waiting.length === 0) this.#lines.delete(line);
    return next;
  }

  #mayTake({ owner, inUse }: Line): boolean {
    const free = this.#max - this.#inUse.size;
    if (owner === undefined || inUse === 0) return free > 0;
    return free > 1 && inUse < SHARE * free;
  }

  #lend(line: Line): Session {
    let session: Session | undefined;
    // The session that was used last comes first: its caches are warm, and the surplus stays idle.
    do session = this.#idle.pop();
    while (session?.lost);
    session ??= this.#openSession();
    this.#inUse.add(session);
    line.inUse++;
    return session;
  }

  #putBack(session: Session, line: Line): void {
    this.#inUse.delete(session);
    line.inUse--;
    if (!session.lost) this.#idle.push(session);
    // More than one may start: each free session raises the share of all.
    for (let next = this.#nextLine(); next !== undefined; next = this.#nextLine()) {
      const waiting = this.#nextOf(next);
      if (this.#lines.delete(next)) this.#lines.add(next);
      waiting?.take(this.#lend(next));
    }
    if (this.#inUse.size === 0) this.#onAllBack?.();
  }

  #nextLine(): Line | undefined {
    for (const line of this.#lines) if (this.#mayTake(line)) return line;
    return undefined;
  }

  async #drain(timeoutMs: number): Promise<void> {
    for (const { waiting } of this.#lines) for (const { refuse } of waiting.splice(0)) refuse(ended());
    this.#lines.clear();
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
