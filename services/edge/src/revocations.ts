import { type Log, startSampler } from "#runtime";
import { countEdges, joinEdges, type Store } from "#store";
import { broadcast, onBroadcast, type Stream } from "#stream";

const SUBJECT = "tokens.revoked";
const CONFIRM_MS = 1_000;
/** Contract, section 3: 5 s for an edge that is cut off. Below it by the time that a request takes. */
const TRUST_MS = 4_000;
const ANNOUNCE_TIMEOUT_MS = 5_000;

/**
 * Makes a revocation hold for the very next request on every edge process. Whoever revokes tells all processes that keep
 * tokens in memory, and answers only when each has said that it forgot them.
 *
 * Who that is: a process trusts its memory only while it holds a lock in a session of Postgres, where the revoker counts
 * them, and has heard from NATS within the last four seconds. So one that dies is not waited for, and one that is cut off
 * from either server asks the database for every token before the revoker stops waiting for it. What is missed while
 * the connection to NATS is down does no harm: memory is emptied when it comes back.
 */
export class Revocations {
  readonly #stream: Stream;
  readonly #memberStore: Store;
  readonly #forget: () => void;
  readonly #log: Log;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #end: (() => void)[] = [];

  /** @param options.memberStore of one connection that nothing else uses */
  constructor(options: { stream: Stream; memberStore: Store; forget: () => void; log: Log }) {
    this.#stream = options.stream;
    this.#memberStore = options.memberStore;
    this.#forget = options.forget;
    this.#log = options.log;
  }

  async start(): Promise<void> {
    this.#end.push(onBroadcast(this.#stream, SUBJECT, this.#forget));
    this.#end.push(this.#stream.onConnection(this.#forget));
    const sample = () => this.#confirm();
    this.#end.push(
      await startSampler({ name: "edge membership", intervalMs: CONFIRM_MS, sample, log: this.#log }),
    );
  }

  /** Whether a revocation anywhere would reach this process, or wait until it no longer trusts its memory. */
  mayTrust(): boolean {
    return performance.now() - this.#confirmedAt < TRUST_MS;
  }

  /** Resolves when no edge process accepts what was revoked before the call. */
  async announce(): Promise<void> {
    this.#forget();
    const expected = await countEdges(this.#memberStore);
    const { handled } = await broadcast(this.#stream, SUBJECT, { expected, timeoutMs: ANNOUNCE_TIMEOUT_MS });
    if (handled < expected)
      this.#log.warn({ expected, handled }, "an edge process is cut off; its memory has run out");
  }

  stop(): void {
    for (const end of this.#end) end();
    this.#end = [];
    this.#confirmedAt = Number.NEGATIVE_INFINITY;
  }

  async #confirm(): Promise<void> {
    // Counted from before the questions: the answers say nothing about the time after they were sent.
    const asked = performance.now();
    await joinEdges(this.#memberStore);
    await this.#stream.nats.flush();
    this.#confirmedAt = asked;
  }
}
