import { setTimeout as delay } from "node:timers/promises";
import type { TransactionEvent } from "#contract";
import { SeededRandom } from "#domain";
import type { PublisherClient, RawAnswer } from "#test-support";
import { AUTHED_AT, CLEARED_AT, REVERTED_AT } from "#test-support";
import type { Ledger } from "./ledger.ts";

export interface LoadOptions {
  readonly ledger: Ledger;
  readonly seed: number;
  /** Connections that send at the same time, each its own transactions. */
  readonly lanes: number;
  /** Members that the events belong to. */
  readonly members: readonly string[];
  /** The running edges; asked for again at every attempt, because a killed one comes back elsewhere. */
  readonly edges: (lane: number) => readonly PublisherClient[];
  /** Changes when NATS is killed, and again when it is back; odd in between. */
  readonly outages: () => number;
  /** Called with every attempt that got no answer. */
  readonly onFailure?: (lane: number, error: unknown) => void;
  /** Events of one request; default `EVENTS_MAX`. */
  readonly eventsMax?: number;
  /** Called with every attempt when it is over. */
  readonly observe?: (attempt: Attempt) => void;
}

/** One request, by `performance.now()`. */
export interface Attempt {
  readonly startedAt: number;
  readonly endedAt: number;
  /** Undefined: there was no answer. */
  readonly status: number | undefined;
}

export interface Load {
  /** Requests that got an answer which counts. */
  readonly answered: number;
  /** Answers by status, and attempts without any as `none`. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Lets every lane finish its request, and rejects if a lane failed. */
  stop(): Promise<void>;
  /** Ends without waiting for answers: for a test that has failed. */
  abandon(): void;
}

const EVENTS_MAX = 200;
/** How many transactions a lane remembers for later events. */
const REMEMBERED = 400;
const RETRY_MS = { least: 50, most: 250 };
const THINK_MS = { least: 5, most: 60 };

/** Seeded requests over several connections; the ledger has every answer. */
export function startLoad(options: LoadOptions): Load {
  const tally: Tally = { answered: 0, statuses: {} };
  const running: Running = { stopping: false, abandoned: false };
  const lanes = Array.from({ length: options.lanes }, (_, number) =>
    new Lane(options, tally, running, number).run(),
  );
  // Until `stop` asks for it, a lane's failure must not count as an unhandled rejection.
  const all = Promise.all(lanes);
  all.catch(() => {});
  return {
    get answered() {
      return tally.answered;
    },
    statuses: tally.statuses,
    async stop() {
      running.stopping = true;
      await all;
    },
    abandon() {
      running.stopping = true;
      running.abandoned = true;
    },
  };
}

interface Tally {
  answered: number;
  readonly statuses: Record<string, number>;
}

interface Running {
  stopping: boolean;
  abandoned: boolean;
}

/** What a lane does with one request. */
type Kind =
  /** Repeated until it is answered. */
  | "persistent"
  /** New transactions; the lane gives up if the first answer is a refusal. */
  | "tentative"
  /** New transactions, one of them malformed: the edge must refuse the request. */
  | "malformed";

/** One connection: one request after the other, each repeated until it is answered. */
class Lane {
  readonly #options: LoadOptions;
  readonly #tally: Tally;
  readonly #running: Running;
  readonly #random: SeededRandom;
  readonly #number: number;
  readonly #name: string;
  /** The first event of each transaction: the later ones repeat its card. */
  readonly #known: TransactionEvent[] = [];
  #made = 0;

  constructor(options: LoadOptions, tally: Tally, running: Running, number: number) {
    this.#options = options;
    this.#tally = tally;
    this.#running = running;
    this.#random = new SeededRandom(options.seed * 1_000 + number);
    this.#number = number;
    this.#name = `${options.seed}-${number}`;
  }

  async run(): Promise<void> {
    while (!this.#running.stopping) {
      const kind = this.#pickKind();
      const events = this.#makeEvents(kind);
      await this.#send(events, kind, this.#random.chance(0.15));
      await delay(this.#random.between(THINK_MS.least, THINK_MS.most));
    }
  }

  #pickKind(): Kind {
    const number = this.#random.next();
    if (number < 0.02) return "malformed";
    return number < 0.25 ? "tentative" : "persistent";
  }

  #makeEvents(kind: Kind): TransactionEvent[] {
    const count = this.#random.chance(0.4)
      ? 1
      : Math.ceil((this.#options.eventsMax ?? EVENTS_MAX) * this.#random.next() ** 3);
    // The lane remembers a transaction only after its request: otherwise it might come back to one that was
    // refused.
    const added: TransactionEvent[] = [];
    const events: TransactionEvent[] = [];
    for (let i = 0; i < count; i++) {
      const isNew = kind !== "persistent" || this.#known.length === 0 || this.#random.chance(0.55);
      const event = isNew ? this.#makeAuthorization() : this.#makeSequel(this.#random.pick(this.#known));
      if (isNew) added.push(event);
      events.push(event);
    }
    if (kind === "persistent") {
      const twin = added.at(-1);
      if (twin && this.#random.chance(0.2)) events.push(this.#makeSequel(twin));
      this.#known.push(...added);
      this.#known.splice(0, this.#known.length - REMEMBERED);
    }
    if (kind === "malformed")
      events[this.#random.between(0, count - 1)] = { ...events[0], amount: -1 } as never;
    return events;
  }

  #makeAuthorization(): TransactionEvent {
    const number = this.#made++;
    return {
      member_id: this.#random.pick(this.#options.members),
      external_id: `${this.#name}-${number}`,
      auth_code: `A${number}`,
      network: this.#random.pick(["visa", "mastercard", "amex", "other"] as const),
      bin: this.#random.pick(["411111", "54545454"]),
      merchant_id: `MID-${this.#random.between(1, 50)}`,
      ...(this.#random.chance(0.5) && { statement_descriptor: `SHOP ${number}` }),
      amount: this.#random.between(0, 100_000),
      currency: "EUR",
      authed_at: AUTHED_AT,
    };
  }

  /** A clearing, a reversal or a resend; seldom an event that the transaction's state forbids. */
  #makeSequel(first: TransactionEvent): TransactionEvent {
    const state = this.#options.ledger.stateOf(first.external_id) ?? "authorized";
    const wanted = this.#random.pick(["cleared", "cleared", "reverted", "authorized"] as const);
    const isForbidden = state !== "authorized" && wanted !== "authorized" && wanted !== state;
    if (wanted === "authorized" || (isForbidden && !this.#random.chance(0.05))) return first;
    const amount = this.#random.between(0, 100_000);
    if (wanted === "cleared") return { ...first, amount, cleared_at: CLEARED_AT };
    return { ...first, amount, reverted_at: REVERTED_AT };
  }

  async #send(events: readonly TransactionEvent[], kind: Kind, isAsync: boolean): Promise<void> {
    const { ledger, edges, outages, onFailure, observe } = this.#options;
    const headers: Record<string, string> = {
      ...(isAsync && { prefer: "respond-async" }),
      // Every other lane asks for it: the others must fare as before.
      ...(!isAsync && this.#number % 2 === 0 && { prefer: "return=representation" }),
    };
    let uncertain = false;
    for (let attempt = this.#random.between(0, 1); !this.#running.abandoned; attempt++) {
      const before = outages();
      const clients = edges(this.#number);
      const client = clients[attempt % clients.length] as PublisherClient;
      const startedAt = performance.now();
      const answer = await client.ingest(events, headers).catch((error: unknown) => {
        onFailure?.(this.#number, error);
        return undefined;
      });
      observe?.({ startedAt, endedAt: performance.now(), status: answer?.status });
      this.#count(answer);
      switch (judge(answer)) {
        case "counts": {
          const exact = !uncertain && before === outages() && before % 2 === 0;
          if (kind === "malformed") ledger.unexpected(answer as RawAnswer);
          ledger.answered({ events, answer: answer as RawAnswer, exact });
          this.#tally.answered++;
          return;
        }
        case "invalid":
          if (kind !== "malformed") ledger.unexpected(answer as RawAnswer);
          ledger.refused(events);
          return;
        case "refused":
          if (kind === "tentative" && !uncertain) {
            ledger.refused(events);
            return;
          }
          break;
        case "unknown":
          uncertain = true;
      }
      await delay(this.#random.between(RETRY_MS.least, RETRY_MS.most));
    }
  }

  #count(answer: RawAnswer | undefined): void {
    const { statuses } = this.#tally;
    const status = String(answer?.status ?? "none");
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
}

/** What an answer, or none, says about the events. */
function judge(answer: RawAnswer | undefined): "counts" | "refused" | "invalid" | "unknown" {
  switch (answer?.status) {
    case 200:
    case 202:
    case 409:
      return "counts";
    case 503:
      return "refused";
    case undefined:
    case 500:
      return "unknown";
    default:
      return "invalid";
  }
}
