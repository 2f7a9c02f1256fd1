import type { Answer, RequestOf, RouteName } from "../api-types.ts";
import {
  type Batch,
  type Pagination,
  PUBLISHER_ROUTES,
  type TransactionEvent,
} from "../generated/publisher-api.ts";
import { recordId } from "./builders.ts";
import { FakeMembers } from "./fake-members.ts";
import { type AppliedEvents, FakeTransactions } from "./fake-transactions.ts";
import { missing, Refusal } from "./refusal.ts";

/** A route's answer to a valid request. */
export type RouteAnswer<R extends RouteName> = (body: RequestOf<R>) => Answer<R> | Promise<Answer<R>>;

type Routes = { [R in RouteName]?: RouteAnswer<R> };

/** An answer of the fake service. */
export interface FakeAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const PAGE_SIZE = 500;

/** What the fake service knows, and what its routes do with it. */
export class FakeRoutes {
  /** Events that took effect, in their order; one that was sent twice is here twice. */
  readonly events: TransactionEvent[] = [];
  readonly transactions = new FakeTransactions();
  readonly #members = new FakeMembers();
  readonly #batches = new Map<string, Batch>();
  readonly #knowsMembers: boolean;
  readonly #routes: Routes;

  /** @param knowsMembers whether events of members that were not made here are rejected */
  constructor(knowsMembers: boolean) {
    this.#knowsMembers = knowsMembers;
    const members = this.#members;
    this.#routes = {
      "member-base/create": ({ name }) => members.createBase(name),
      "member-base/get": ({ id }) => members.base(id),
      "member-base/delete": ({ id }) => members.deleteBase(id),
      "member-base/list": (request) => countedPageOf(members.bases(request), request.pagination),
      "member/bulk-upsert": (request) => members.upsert(request),
      "member/bulk-delete": (request) => members.delete(request),
      "member/get": (key) => members.get(key),
      "member/list": (request) => countedPageOf(members.list(request), request.pagination),
      "transaction/get": ({ external_id }) => this.transactions.get(external_id) ?? missing("transaction"),
      "transaction/list": ({ member_id, pagination }) =>
        pageOf(this.transactions.ofMember(member_id), pagination),
      "transaction.batch/get": ({ id }) => this.#batches.get(id) ?? missing("transaction_batch"),
    };
  }

  set<R extends RouteName>(route: R, answer: RouteAnswer<R>): void {
    (this.#routes as Record<string, unknown>)[route] = answer;
  }

  /** @throws Refusal */
  async answer(route: RouteName, body: unknown): Promise<FakeAnswer> {
    const known = this.#routes[route] as RouteAnswer<RouteName> | undefined;
    if (known !== undefined) return { status: 200, body: await known(body as RequestOf<RouteName>) };
    if ("cursor" in PUBLISHER_ROUTES[route]) return { status: 200, body: pageOf([], undefined) };
    throw new Refusal(
      "internal_error",
      `the fake service has no answer for ${route}: give it one with answer("${route}", (body) => …)`,
    );
  }

  /**
   * Applies the events of an ingest request.
   * @param isAsync whether the answer is a 202, after which the batch tells what became of them
   * @throws Refusal if events were rejected
   */
  ingest(events: readonly TransactionEvent[], isAsync: boolean, wantsOutcomes: boolean): FakeAnswer {
    const applied = this.transactions.apply(events, (id) => !this.#knowsMembers || this.#members.has(id));
    this.events.push(...events);
    const accepted = events.length - applied.rejected.length;
    const ignored = applied.ignored.length > 0 && {
      ignored: [...applied.ignored],
      ignored_total: applied.ignored.length,
    };
    if (isAsync) {
      const id = recordId("batch");
      this.#batches.set(id, {
        id,
        status: "processed",
        accepted,
        rejected: [...applied.rejected],
        ...ignored,
      });
      const headers = { "preference-applied": "respond-async" };
      return { status: 202, body: { status: "accepted", batch_id: id, accepted: events.length }, headers };
    }
    const { created, updated, unchanged, outcomes } = applied;
    const told = { accepted, created, updated, unchanged, ...(wantsOutcomes && { outcomes }), ...ignored };
    const headers: Record<string, string> = wantsOutcomes
      ? { "preference-applied": "return=representation" }
      : {};
    if (applied.rejected.length > 0) throw rejection(applied, told, headers);
    return { status: 200, body: { status: "processed", ...told }, headers };
  }
}

function rejection(
  { rejected }: AppliedEvents,
  told: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>>,
): Refusal {
  const [first] = rejected;
  if (first === undefined) throw new RangeError("nothing was rejected");
  const { code, reason, external_id, index } = first;
  const data = {
    ...(code === "not_found" && { resource: "member" }),
    reason,
    external_id,
    ...told,
    rejected,
  };
  return new Refusal(code, `event ${index}: ${reason}`, data, headers);
}

/** Of members and memberbases a page says how many there are in all. */
function countedPageOf<T>(records: readonly T[], pagination: Pagination | undefined) {
  const { data, page } = pageOf(records, pagination);
  return { data, page: { ...page, total: records.length } };
}

/** A cursor is the place of the next record. */
function pageOf<T>(records: readonly T[], pagination: Pagination | undefined) {
  const { limit = PAGE_SIZE, cursor, skip = 0 } = pagination ?? {};
  const from = Number(cursor ?? 0) + skip;
  const data = records.slice(from, from + limit);
  const more = from + limit < records.length;
  return { data, page: { page_size: data.length, cursor: more ? String(from + limit) : null, more } };
}
