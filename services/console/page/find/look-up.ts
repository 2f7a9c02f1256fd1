import type { AnswerFrom, ConsoleRoute, RequestTo } from "../console-routes.ts";
import { pathOf } from "../frame/path-of.ts";
import { rejectionClause } from "../purchase/rejection-words.ts";
import { count, moment, type Reader } from "../purchase/words.ts";
import { type Ask, type Finding, findPlace, readPlace, toPurchase } from "./find-place.ts";
import type { Prefix, Query } from "./read-query.ts";

export interface LookedUp {
  readonly findings: readonly Finding[];
  /** Look-ups that found nothing, such as `a member with this ref`. */
  readonly missed: readonly string[];
  /** Look-ups that failed. */
  readonly failed: ReadonlyArray<{ readonly what: string; readonly message: string }>;
}

interface LookUp {
  readonly what: string;
  find(ask: Ask): Promise<readonly Finding[]>;
}

/**
 * Runs all look-ups that the text may stand for, at the same time; if it is an id that a record has, it is looked for as
 * nothing else. Never throws: the result names the look-ups that failed.
 */
export async function lookUp(query: Query, ask: Ask, reader: Reader): Promise<LookedUp> {
  const byId = await runAll(lookUpsById(query, reader), ask);
  if (byId.findings.length > 0) return byId;
  const byName = await runAll(lookUpsByName(query, reader), ask);
  return {
    findings: byName.findings,
    missed: [...byId.missed, ...byName.missed],
    failed: [...byId.failed, ...byName.failed],
  };
}

async function runAll(lookUps: readonly LookUp[], ask: Ask): Promise<LookedUp> {
  const results = await Promise.allSettled(lookUps.map(({ find }) => find(ask)));
  const findings: Finding[] = [];
  const missed: string[] = [];
  const failed: { what: string; message: string }[] = [];
  for (const [index, result] of results.entries()) {
    const { what } = lookUps[index] as LookUp;
    if (result.status === "rejected") failed.push({ what, message: messageOf(result.reason) });
    else if (result.value.length === 0) missed.push(what);
    else findings.push(...result.value);
  }
  return { findings, missed, failed };
}

function lookUpsById({ id, text }: Query, reader: Reader): LookUp[] {
  const byId = id === undefined ? undefined : BY_ID[id];
  return byId === undefined ? [] : [{ what: byId.what, find: (ask) => orNone(byId.find(ask, text, reader)) }];
}

function lookUpsByName({ text, externalId, ref }: Query, reader: Reader): LookUp[] {
  const lookUps: LookUp[] = [];
  if (externalId !== undefined) {
    lookUps.push(
      {
        what: "a purchase with this external_id",
        find: (ask) => orNone(findPurchase(ask, externalId, reader)),
      },
      {
        what: "a rejected event with this external_id (kept for 30 days)",
        find: (ask) => findRejections(ask, externalId, reader),
      },
    );
  }
  if (ref !== undefined)
    lookUps.push({
      what: "a member with this ref",
      find: async (ask) => (await membersByRef(ask, ref)).map(toMember),
    });
  const place = readPlace(text, reader.now);
  if (place !== undefined) {
    const what =
      place.who === undefined ? "a retailer with this name or merchant id" : "purchases of this member there";
    lookUps.push({
      what,
      find: (ask) => findPlace(ask, place, reader, (who) => membersByRef(ask, who)),
    });
  }
  return lookUps;
}

/** `not_found` is no failure. */
async function orNone(finding: Promise<Finding>): Promise<readonly Finding[]> {
  try {
    return [await finding];
  } catch (error) {
    if ((error as { code?: unknown }).code === "not_found") return [];
    throw error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function findPurchase(ask: Ask, external_id: string, reader: Reader): Promise<Finding> {
  return toPurchase(await ask("publisher.v1/transaction/get", { external_id }), reader);
}

async function findRejections(ask: Ask, external_id: string, reader: Reader): Promise<Finding[]> {
  const { data, page } = await ask("publisher.v1/transaction.rejection/list", {
    external_id,
    pagination: { limit: 100 },
  });
  const [last] = data;
  if (last === undefined) return [];
  const title = `${count(data.length, "rejected event")}${page.more ? " or more" : ""}`;
  const detail = `the last ${moment(last.rejected_at, reader)}: ${rejectionClause(last)}`;
  return [{ kind: "Rejected", title, detail, path: pathOf("purchase", external_id) }];
}

const MEMBERS_SHOWN = 20;
/** If there are thousands of memberbases, a page may be empty and still have a cursor. */
const MEMBER_PAGES = 20;

type Member = AnswerFrom<"publisher.v1/member/find">["data"][number];

async function membersByRef(ask: Ask, ref: string): Promise<Member[]> {
  const found: Member[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < MEMBER_PAGES; pages++) {
    const question: RequestTo<"publisher.v1/member/find"> = {
      ref,
      pagination: { limit: MEMBERS_SHOWN, cursor },
    };
    const answer: AnswerFrom<"publisher.v1/member/find"> = await ask("publisher.v1/member/find", question);
    found.push(...answer.data);
    cursor = answer.page.cursor;
    if (cursor === null || found.length >= MEMBERS_SHOWN) break;
  }
  return found;
}

function toMember({ id, ref, member_base_id }: AnswerFrom<"publisher.v1/member/get">): Finding {
  const detail = `in the memberbase ${member_base_id}`;
  return { kind: "Member", title: ref, detail, path: pathOf("member", id) };
}

interface ById {
  /** Named if nothing is found. */
  readonly what: string;
  find(ask: Ask, id: string, reader: Reader): Promise<Finding>;
}

/** The routes that answer with the record of an id. */
type GetRoute = {
  [R in ConsoleRoute]: { readonly id: string } extends RequestTo<R> ? R : never;
}[ConsoleRoute];

const record = <R extends GetRoute>(
  what: string,
  route: R,
  toFinding: (answer: AnswerFrom<R>, id: string, reader: Reader) => Finding,
): ById => ({
  what,
  // It is the request of each of these routes, but TypeScript cannot see that of R.
  find: async (ask, id, reader) => toFinding(await ask(route, { id } as RequestTo<R>), id, reader),
});

const resolved = (kind: string, what: string): ById => ({ what, find: (ask, id) => resolve(ask, kind, id) });

/** How an id is looked up, by its prefix. A prefix without an entry is not looked up, because no page shows it. */
const BY_ID: Readonly<Partial<Record<Prefix, ById>>> = {
  m: record("a member with this id", "publisher.v1/member/get", toMember),
  tx: resolved(
    "Purchase",
    "a purchase with this id that has earned something (others are found by their external_id)",
  ),
  qp: resolved("Stamp", "a stamp with this id"),
  red: resolved("Redemption", "a redemption with this id"),
  cb: resolved("Cashback", "a cashback with this id"),
  evt: resolved("Webhook event", "a webhook event with this id (kept for 30 days)"),
  sc: resolved("Stamp card", "a stamp card with this id"),
  clip: resolved("Clip", "a clip with this id"),
  mb: record("a memberbase with this id", "publisher.v1/member-base/get", ({ name: title, deleted_at }) => {
    const isDeleted = deleted_at !== undefined;
    const detail = isDeleted ? "it was deleted, with its members" : "look for its members by their refs";
    return { kind: "Memberbase", title, detail, path: undefined };
  }),
  lp: record("a loyalty program with this id", "publisher.v1/loyalty-program/get", (program, id) => {
    const detail = `a card of ${count(program.qualifying_threshold, "stamp")}`;
    return { kind: "Program", title: program.name, detail, path: pathOf("program", id) };
  }),
  deal: record("a deal with this id", "publisher.v1/deal/get", ({ name: title }, id) => {
    return { kind: "Deal", title, detail: undefined, path: pathOf("deal", id) };
  }),
  ret: record("a retailer with this id", "platform.v1/retailer/get", ({ name: title }, id) => {
    return { kind: "Retailer", title, detail: undefined, path: pathOf("retailer", id) };
  }),
  whk: record("a webhook with this id", "publisher.v1/webhook/get", ({ url, state }, id) => {
    return { kind: "Webhook", title: url, detail: state, path: pathOf("webhook", id) };
  }),
  dlv: record(
    "a webhook delivery with this id (kept for 30 days)",
    "publisher.v1/webhook.delivery/get",
    ({ state, created_at }, id, reader) => {
      const detail = `${state}, made ${moment(created_at, reader)}`;
      return { kind: "Delivery", title: id, detail, path: pathOf("delivery", id) };
    },
  ),
  batch: record(
    "a batch with this id (kept for 7 days)",
    "publisher.v1/transaction.batch/get",
    ({ status, accepted, rejected }, id) => {
      const detail = `${status}: ${count(accepted, "event")} accepted, ${count(rejected.length, "event")} rejected`;
      return { kind: "Batch", title: id, detail, path: undefined };
    },
  ),
};

/** For records without a page of their own: the purchase that they belong to, else the member. */
async function resolve(ask: Ask, kind: string, id: string): Promise<Finding> {
  const { transaction_ref, member_id } = await ask("publisher.v1/id/resolve", { id });
  if (transaction_ref !== undefined) {
    const path = pathOf("purchase", transaction_ref);
    return { kind, title: id, detail: `of the purchase ${transaction_ref}`, path };
  }
  if (member_id === undefined) return { kind, title: id, detail: "of no purchase", path: undefined };
  return { kind, title: id, detail: `of the member ${member_id}`, path: pathOf("member", member_id) };
}
