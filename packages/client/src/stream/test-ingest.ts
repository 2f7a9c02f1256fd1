import type { TransactionEvent } from "../generated/publisher-api.ts";
import { StampedeError } from "../stampede-error.ts";
import { IngestStream } from "./ingest-stream.ts";
import { Pace } from "./pace.ts";
import type { IngestAnswer } from "./read-answer.ts";
import type { StreamOptions } from "./stream-options.ts";

/** What goes wrong with an attempt. */
export type Fault =
  /** 503 and 429: nothing was taken. */
  | "busy"
  | "limited"
  /** The connection was lost before the events were taken, or after. */
  | "lost"
  | "untold"
  /** 500, after they were taken. */
  | "failed"
  /** 202: they are taken. */
  | "queued"
  /** 413. */
  | "too large";

type State = "authorized" | "cleared" | "reverted";

/** Waits until it holds, however long that takes: tap ends a test that waits in vain. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

/** A pause of a millisecond instead of a hundred, so that a test meets many faults. */
export const quickPace = (max: number): Pace => new Pace(max, () => 1);

export function streamTo(ingest: FakeIngest, options: StreamOptions = {}): IngestStream {
  return new IngestStream(ingest.post, options, { pace: quickPace(options.maxInFlight ?? 4) });
}

export const idsOf = (events: readonly TransactionEvent[]): string[] =>
  events.map(({ external_id }) => external_id);

/** What a promise is rejected with; undefined if it is not. */
export const caught = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

/** One card transaction, of which only what matters to a stream differs. */
export function testEvent(id: string, more: Partial<TransactionEvent> = {}): TransactionEvent {
  return {
    member_id: "m_1",
    external_id: id,
    auth_code: "A1",
    network: "visa",
    bin: "411111",
    merchant_id: "M1",
    authed_at: "2026-01-01T00:00:00Z",
    ...more,
  };
}

/**
 * `transaction/ingest` as far as a stream can tell, in memory: it keeps each transaction's state by the rules of the
 * contract, answers after a turn of the event loop or more, and writes down all that a stream must never do.
 */
export class FakeIngest {
  /** The events of each attempt, in the order of arrival. */
  readonly attempts: (readonly TransactionEvent[])[] = [];
  readonly states = new Map<string, State>();
  /** Keys that were in two open requests at once. */
  readonly overlaps: string[] = [];
  /** The most attempts that were open at the same time. */
  mostOpen = 0;
  readonly #faultOf: (attempt: number, events: readonly TransactionEvent[]) => Fault | Error | undefined;
  readonly #openKeys = new Set<string>();
  /** How many turns of the event loop an attempt takes: answers overtake each other. */
  readonly #turnsOf: (attempt: number) => number;
  #open = 0;
  #held: (() => void)[] | undefined;

  /** @param faultOf what goes wrong with an attempt; the first is number 1 */
  constructor(
    faultOf: (attempt: number, events: readonly TransactionEvent[]) => Fault | Error | undefined = () =>
      undefined,
    turnsOf: (attempt: number) => number = () => 1,
  ) {
    this.#faultOf = faultOf;
    this.#turnsOf = turnsOf;
  }

  /** Answers nothing until it is released. */
  hold(): void {
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const go of held) go();
  }

  readonly post = async (body: string, signal: AbortSignal): Promise<IngestAnswer> => {
    const { events } = JSON.parse(body) as { events: TransactionEvent[] };
    const attempt = this.attempts.push(events);
    const keys = new Set(events.map(({ external_id }) => external_id));
    for (const key of keys) if (this.#openKeys.has(key)) this.overlaps.push(key);
    for (const key of keys) this.#openKeys.add(key);
    this.mostOpen = Math.max(this.mostOpen, ++this.#open);
    try {
      for (let turn = this.#turnsOf(attempt); turn > 0; turn--) await this.#turn(signal);
      return this.#answer(events, this.#faultOf(attempt, events));
    } finally {
      this.#open -= 1;
      for (const key of keys) this.#openKeys.delete(key);
    }
  };

  async #turn(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      if (this.#held === undefined) setImmediate(resolve);
      else this.#held.push(resolve);
    });
  }

  #answer(events: readonly TransactionEvent[], fault: Fault | Error | undefined): IngestAnswer {
    if (fault instanceof Error) throw fault;
    if (fault === "busy") throw refusal(503, "unavailable");
    if (fault === "limited") throw refusal(429, "rate_limited");
    if (fault === "too large") throw refusal(413, "payload_too_large");
    if (fault === "lost") throw refusal(0, "connection_error");
    const rejected: object[] = [];
    const outcomes = events.map((event, index) => {
      const letter = this.#apply(event);
      if (letter === "r") {
        const { external_id } = event;
        rejected.push({ index, external_id, code: "conflict", reason: "invalid_transition" });
      }
      return letter;
    });
    if (fault === "untold") throw refusal(0, "connection_error");
    if (fault === "failed") throw refusal(500, "internal_error");
    if (fault === "queued") return { status: "accepted", batch_id: "batch_1", accepted: events.length };
    const accepted = events.length - rejected.length;
    return { status: "processed", accepted, outcomes: outcomes.join(""), rejected };
  }

  /** Contract, section 6. */
  #apply({ external_id, cleared_at, reverted_at }: TransactionEvent): "c" | "u" | "n" | "r" {
    const asked = cleared_at !== undefined ? "cleared" : reverted_at !== undefined ? "reverted" : undefined;
    const stored = this.states.get(external_id);
    if (stored === undefined || (stored === "authorized" && asked !== undefined)) {
      this.states.set(external_id, asked ?? "authorized");
      return stored === undefined ? "c" : "u";
    }
    return asked === undefined || asked === stored ? "n" : "r";
  }
}

export function refusal(status: number, code: StampedeError["code"], data = {}): StampedeError {
  return new StampedeError({ status, code, message: `it is ${code}`, data });
}
