import {
  type EventOutcome,
  type EventStream,
  type MemberResolver,
  type Retry,
  StampedeClient,
  StampedeError,
  type TransactionEvent,
} from "#client";
import { aborted } from "../interrupted.ts";
import type { PublisherAccess } from "../publisher-access.ts";
import { BatchOutcomes } from "./batch-outcomes.ts";
import type { Entry, Ledger } from "./ledger.ts";
import { countNotKept, readNotKept } from "./not-kept.ts";
import type { RowRejection, RowResult } from "./row-result.ts";
import type { Tally } from "./tally.ts";

/** How long requests under way may take when an import is stopped. */
const STOP_WITHIN_MS = 20_000;

interface DeliveryOptions {
  readonly access: PublisherAccess;
  /** The memberbase of the rows' refs; undefined if the rows name ids. */
  readonly memberBase: string | undefined;
  readonly missing: "make" | "refuse";
  /** Counts what no result says. */
  readonly tally: Pick<Tally, "addUnlisted" | "membersMade" | "notKeptBefore" | "taken" | "unnamed">;
  readonly respondAsync: boolean;
  /** Called with a message when the service takes no requests, and with "" when it takes them again. */
  readonly onTrouble: (what: string) => void;
}

/** An event, with its member's ref if the id is not known yet. */
export interface Draft {
  readonly event: TransactionEvent;
  readonly memberRef: string | undefined;
}

const NO_MEMBER: RowRejection = { code: "not_found", reason: "member_ref: no member has this ref" };

/** Sends events by the streaming client, and settles each entry of the ledger with the result of its event. */
export class Delivery {
  readonly #client: StampedeClient;
  readonly #stream: EventStream;
  readonly #members: MemberResolver | undefined;
  readonly #ledger: Ledger;
  readonly #tally: DeliveryOptions["tally"];
  readonly #batches: BatchOutcomes;
  readonly #entries = new Map<TransactionEvent, Entry>();
  readonly #stopping = new AbortController();
  readonly #onTrouble: DeliveryOptions["onTrouble"];
  /** Aborted while the service takes no requests. */
  #absence = new AbortController();
  #failure: unknown;

  constructor(options: DeliveryOptions, ledger: Ledger) {
    const { access, memberBase, missing, tally, respondAsync, onTrouble } = options;
    const { baseUrl, token } = access;
    this.#ledger = ledger;
    this.#tally = tally;
    this.#onTrouble = onTrouble;
    this.#client = new StampedeClient({ baseUrl, token });
    this.#stream = this.#client.stream({
      respondAsync,
      onOutcome: (event, outcome) => {
        this.#answered();
        this.#take(event, outcome);
      },
      onRetry: this.#onRetry,
      // `write` and `close` throw the same error.
      onError: () => {},
    });
    const onMade = (members: number) => {
      tally.membersMade += members;
    };
    this.#members =
      memberBase === undefined
        ? undefined
        : this.#client.members({ memberBaseId: memberBase, missing, onMade, onRetry: this.#onRetry });
    const { signal } = this.#stopping;
    this.#batches = new BatchOutcomes(
      async (id) => {
        const answer = await this.#client.call(
          "transaction.batch/get",
          { id },
          { signal, onRetry: this.#onRetry },
        );
        this.#answered();
        return answer;
      },
      (error) => {
        this.#failure ??= error;
      },
      (events) => tally.addUnlisted(events),
      signal,
    );
  }

  /** Call it before the first event. A resumed import goes by what its first run found. */
  async begin(signal: AbortSignal): Promise<void> {
    this.#tally.notKeptBefore ??= await readNotKept(this.#client, { signal, onRetry: this.#onRetry });
    this.#answered();
  }

  /**
   * Sets the member ids of the events. Members that do not exist are made, or their rows are refused.
   * @returns the rejection of each refused event
   */
  async resolve(drafts: readonly Draft[]): Promise<ReadonlyMap<TransactionEvent, RowRejection>> {
    const refused = new Map<TransactionEvent, RowRejection>();
    const members = this.#members;
    const named = drafts.filter(({ memberRef }) => memberRef !== undefined);
    if (members === undefined || named.length === 0) return refused;
    const refs = [...new Set(named.map(({ memberRef }) => memberRef as string))];
    const ids = await Promise.all(refs.map((ref) => members.resolve(ref).catch(unlessNotFound)));
    const idOf = new Map(refs.map((ref, i) => [ref, ids[i]]));
    for (const { event, memberRef } of named) {
      const id = idOf.get(memberRef as string);
      if (id === undefined) refused.set(event, NO_MEMBER);
      else event.member_id = id;
    }
    return refused;
  }

  /** Hands an event over; resolves when there is room for the next. Events of one `external_id` keep their order. */
  send(event: TransactionEvent, entry: Entry): Promise<void> {
    this.#entries.set(event, entry);
    return this.#stream.write(event);
  }

  /** @throws the error if a batch could not be asked for */
  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Resolves when every event's result is known. */
  async finish(): Promise<void> {
    await this.#stream.close();
    await this.#batches.drained();
    this.throwIfFailed();
    const { notKeptBefore, taken } = this.#tally;
    if (notKeptBefore === undefined || taken.applied === 0) return;
    const options = { signal: this.#stopping.signal, onRetry: this.#onRetry };
    const notKept = await countNotKept(this.#client, notKeptBefore, options);
    this.#tally.unnamed = Math.min(notKept, taken.applied);
  }

  /**
   * Waits a while for requests under way, and not at all if the service takes none. A resume sends the events without a known
   * result again.
   */
  async stop(): Promise<void> {
    const giveUp = AbortSignal.any([AbortSignal.timeout(STOP_WITHIN_MS), this.#absence.signal]);
    const abort = () => this.#stopping.abort();
    giveUp.addEventListener("abort", abort, { once: true });
    if (giveUp.aborted) abort();
    const closed = this.#stream.close({ timeoutMs: giveUp.aborted ? 0 : STOP_WITHIN_MS }).catch(() => {});
    await Promise.race([closed, aborted(giveUp)]);
    await this.#batches.drained();
    giveUp.removeEventListener("abort", abort);
    // Also what `finish` asks: a resume asks it again.
    abort();
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#stream.close({ timeoutMs: 0 }).catch(() => {});
    await this.#client.close().catch(() => {
      // `send` and `finish` have thrown the stream's failure.
    });
  }

  readonly #onRetry = ({ error }: Retry): void => {
    this.#onTrouble(`waiting for the service: ${error.message}`);
    this.#absence.abort();
  };

  #answered(): void {
    this.#onTrouble("");
    if (this.#absence.signal.aborted) this.#absence = new AbortController();
  }

  #take(event: TransactionEvent, outcome: EventOutcome): void {
    const entry = this.#entries.get(event);
    if (entry === undefined) return;
    this.#entries.delete(event);
    const settle = (result: RowResult) => this.#ledger.settle(entry, result);
    if (outcome.outcome === "accepted" && outcome.batch_id !== null) {
      this.#batches.add(outcome.batch_id, { externalId: event.external_id, settle });
    } else {
      settle(resultOf(outcome));
    }
  }
}

/** Undefined for a ref that no member has. @throws every other error */
function unlessNotFound(error: unknown): undefined {
  const isUnknownRef =
    error instanceof StampedeError && error.code === "not_found" && error.data.resource === "member";
  if (!isUnknownRef) throw error;
}

function resultOf(outcome: EventOutcome): RowResult {
  const { ignored } = outcome as { readonly ignored?: readonly string[] };
  const told = ignored !== undefined && { ignored };
  if (outcome.outcome === "accepted") return { outcome: "applied", ...told };
  if (outcome.outcome !== "rejected") return { outcome: outcome.outcome, ...told };
  const { outcome: _, path, reason, ...rest } = outcome;
  const named = path === undefined || path === "" ? reason : `${path.slice(1)} ${reason}`;
  return { outcome: "rejected", rejection: { ...rest, reason: named } };
}
