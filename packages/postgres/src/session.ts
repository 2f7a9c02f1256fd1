import type { Socket } from "node:net";
import postgres from "postgres";
import { type DatabaseTls, readDatabaseAddress } from "./database-address.ts";
import { ConnectionError } from "./database-errors.ts";
import { type Address, openSocket } from "./open-socket.ts";
import { ownRows } from "./own-rows.ts";
import type { Statement } from "./statement.ts";
import { operationOfScript } from "./statement-operation.ts";
import type { StoreObserver, StoreOptions } from "./store.ts";
import { arrayTypes, singleTypes } from "./value-types.ts";

/** For an address that swallows packets: SYN retransmissions after 1 s and 3 s fit in. */
const CONNECT_TIMEOUT_SECONDS = 5;

/** After this many seconds Node probes ten times, once a second: a vanished peer is noticed after 25 s. */
const KEEP_ALIVE_SECONDS = 15;

/** A process that hangs in a transaction would keep row locks; no operation pauses for so long. */
const IDLE_IN_TRANSACTION_MS = 30_000;

/** The server cancels a slow statement itself. Without even that answer within this time, it is gone. */
const ANSWER_GRACE_MS = 5_000;

/** An idle server hangs up immediately; for a server that is gone, waiting longer is useless. */
const GOODBYE_MS = 1_000;

/**
 * One connection, from its opening to its loss; the next connection is another session. Statements are
 * answered in the order in which they are sent.
 *
 * Why not the pool and `begin` of postgres.js 3.4.9: both go on using a connection object after a loss. A
 * rollback on a lost connection throws where no code can catch it, and ends the process. A statement that is
 * issued between a socket's `error` and its `close` is never answered, and the next connection stalls.
 * Statements of a lost transaction can run in another one (its issues 1133, 1154, 1208, 1216;
 * `session-loss.test.ts` shows how ours behave). So here a client has one connection and one socket. At the
 * first sign of trouble it is closed for good, and nothing is sent on it afterwards.
 */
export class Session {
  readonly #client: postgres.Sql;
  /** Functions that reject the statements under way. */
  readonly #underWay = new Set<(reason: Error) => void>();
  /** Times the oldest of these: the server begins with the next one only when it has answered that. */
  #timer: NodeJS.Timeout | undefined;
  readonly #answerTimeoutMs: number | undefined;
  readonly #tls: DatabaseTls | undefined;
  readonly #observer: StoreObserver | undefined;
  #socket: Socket | undefined;
  #lost = false;
  #corked = false;

  constructor(options: StoreOptions) {
    const { statementTimeoutMs } = options;
    this.#observer = options.observer;
    this.#answerTimeoutMs = statementTimeoutMs ? statementTimeoutMs + ANSWER_GRACE_MS : undefined;
    const { url, tls } = readDatabaseAddress(options.url);
    this.#tls = tls;
    const settings = {
      max: 1,
      // `openSocket` makes TLS, whatever PGSSLMODE in the environment says.
      ssl: false,
      types: { ...singleTypes(), ...arrayTypes() },
      fetch_types: false,
      // An optional field that is absent becomes null in the row.
      transform: { undefined: null },
      connect_timeout: CONNECT_TIMEOUT_SECONDS,
      keep_alive: KEEP_ALIVE_SECONDS,
      // Pools are small and always in use: an idle connection costs less than a new one that has to prepare
      // its statements again, and advisory locks live in a session, which must not be replaced because of its
      // age.
      idle_timeout: 0,
      max_lifetime: null,
      // Otherwise the library prints the server's warnings and notices.
      onnotice: () => {},
      onclose: () => this.#lose(new ConnectionError("CONNECTION_CLOSED", "the server closed the connection")),
      socket: (address: Address) => this.#open(address),
      connection: {
        application_name: options.applicationName,
        idle_in_transaction_session_timeout: options.idleInTransactionMs ?? IDLE_IN_TRANSACTION_MS,
        // Otherwise a plan with an unavoidable scan would count as very expensive, and compiling it would
        // take a second.
        ...(options.plansByIndex
          ? { plan_cache_mode: "force_generic_plan", enable_seqscan: "off", jit: "off" }
          : {}),
        ...(statementTimeoutMs === undefined ? {} : { statement_timeout: statementTimeoutMs }),
      },
    };
    this.#client = postgres(url, settings);
  }

  /** Nothing can be sent any more. The server has rolled back uncommitted work, or soon will. */
  get lost(): boolean {
    return this.#lost;
  }

  async run<Rows extends readonly object[]>(statement: Statement<Rows>): Promise<Rows> {
    const rows = await this.#send(statement.operation, () => statement.toQuery(this.#client).then(ownRows));
    return rows as readonly object[] as Rows;
  }

  /** Any number of statements in one text, without parameters. Returns the command tag of the last one. */
  async script(text: string): Promise<string> {
    const result = await this.#send(operationOfScript(text), () => this.#client.unsafe(text));
    return result.command;
  }

  /**
   * A `copy … from stdin` with its input. The library settles the query when the copy begins, and does not
   * report an error that comes after the last byte; but it still tries to reject the query, and that is
   * caught here.
   */
  copyIn(text: string, bytes: Uint8Array): Promise<void> {
    return this.#send("copy", () => {
      const query = this.#client.unsafe(text) as postgres.PendingQuery<postgres.Row[]> & {
        reject: (reason: unknown) => void;
      };
      return new Promise<void>((resolve, reject) => {
        const refuse = query.reject;
        query.reject = (reason) => {
          refuse(reason);
          reject(reason);
        };
        query.writable().then((input) => {
          input.on("error", reject).on("finish", resolve);
          input.end(bytes);
        }, reject);
      });
    });
  }

  /**
   * Ends an idle connection in good order, and cuts any other. Resolves when the server has hung up too: a
   * database cannot be cloned or dropped while one of its sessions is about to end.
   */
  async end(): Promise<void> {
    if (this.#lost) return;
    this.#lose(new ConnectionError("CONNECTION_ENDED", "the store was closed"));
    const socket = this.#socket;
    if (socket === undefined || socket.closed) return;
    const timer = setTimeout(() => socket.destroy(), GOODBYE_MS);
    await new Promise((resolve) => socket.once("close", resolve));
    clearTimeout(timer);
  }

  async #open(address: Address): Promise<Socket> {
    // A second call is an attempt to reconnect; its error goes to the statement that needs the connection.
    if (this.#lost || this.#socket !== undefined) {
      throw new ConnectionError("CONNECTION_CLOSED", "the server closed the connection");
    }
    this.#socket = await openSocket(address, this.#tls, CONNECT_TIMEOUT_SECONDS * 1000);
    if (this.#lost) this.#socket.destroy();
    return this.#socket;
  }

  #send<T>(operation: string, makeQuery: () => PromiseLike<T>): Promise<T> {
    if (this.#lost) {
      return Promise.reject(new ConnectionError("CONNECTION_CLOSED", "the connection was lost before"));
    }
    const startedAt = performance.now();
    this.#cork();
    return new Promise<T>((resolve, reject) => {
      this.#timer ??= this.#startTimer();
      const settle = (error?: unknown) => {
        // Only once: the library may still reject a statement after its connection was closed.
        if (!this.#underWay.delete(fail)) return;
        this.#restartTimer();
        this.#observer?.settled(operation, (performance.now() - startedAt) / 1000, error);
      };
      const fail = (reason: Error) => {
        settle(reason);
        reject(reason);
      };
      this.#underWay.add(fail);
      makeQuery().then(
        (result) => {
          settle();
          resolve(result);
        },
        (error) => {
          fail(error);
          if (!leavesSessionUsable(error)) this.#lose(error);
        },
      );
    });
  }

  /**
   * Sends statements that are issued together in one write: a system call for each would cost more than
   * everything else for a short statement. The library writes each in a microtask, so the write waits for
   * these, and for nothing else.
   */
  #cork(): void {
    const socket = this.#socket;
    if (this.#corked || socket === undefined) return;
    this.#corked = true;
    socket.cork();
    queueMicrotask(() =>
      process.nextTick(() => {
        this.#corked = false;
        socket.uncork();
      }),
    );
  }

  #startTimer(): NodeJS.Timeout | undefined {
    if (this.#answerTimeoutMs === undefined) return undefined;
    return setTimeout(() => {
      this.#lose(
        new ConnectionError("NO_ANSWER", `the server did not answer in ${this.#answerTimeoutMs} ms`),
      );
    }, this.#answerTimeoutMs);
  }

  #restartTimer(): void {
    if (this.#underWay.size > 0) {
      this.#timer?.refresh();
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #lose(reason: Error): void {
    if (this.#lost) return;
    this.#lost = true;
    const idle = this.#underWay.size === 0;
    for (const fail of [...this.#underWay]) fail(reason);
    // Time-out 0: immediately. Only an idle connection says goodbye; the server notices the end of the
    // others.
    void this.#client.end({ timeout: 0 }).catch(() => {});
    if (!idle) this.#socket?.destroy();
  }
}

/** After an error of a statement the server reads on; after any other error its behaviour is unknown. */
function leavesSessionUsable(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.severity === "ERROR";
}
