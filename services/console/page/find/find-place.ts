import type { AnswerFrom, ConsoleRoute, RequestTo } from "../console-routes.ts";
import { pathOf } from "../frame/path-of.ts";
import { daySpan } from "../member/day-span.ts";
import { toLocal } from "../parts/local-time.ts";
import { moneyText } from "../parts/money.tsx";
import { list, moment, type Reader } from "../purchase/words.ts";

/** `ada, Corner Coffee, yesterday`: a member, a place and a day, of which only the place is required. */
interface PlaceQuery {
  /** A member's ref. */
  readonly who: string | undefined;
  /** A retailer's name or the beginning of it, a merchant id, or what a statement begins with. */
  readonly place: string;
  /** As a date field gives it, `2026-11-23`, in the browser's zone. */
  readonly day: string | undefined;
}

/** The longest ref, and the longest name of a retailer (contract, sections 5 and 8). */
const PART_LENGTH = 256;

/** Undefined for a text of another form. */
export function readPlace(text: string, now: Date): PlaceQuery | undefined {
  const parts = text.split(",").map((part) => part.trim());
  if (parts.length > 3 || parts.some((part) => part === "" || part.length > PART_LENGTH)) return undefined;
  const day = parts.length > 1 ? dayIn(parts.at(-1) as string, now) : undefined;
  const [first = "", second, third] = day === undefined ? parts : parts.slice(0, -1);
  if (third !== undefined) return undefined;
  return second === undefined ? { who: undefined, place: first, day } : { who: first, place: second, day };
}

function dayIn(text: string, now: Date): string | undefined {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return text;
  const back = { today: 0, yesterday: 1 }[text.toLowerCase()];
  if (back === undefined) return undefined;
  return toLocal(new Date(now.getFullYear(), now.getMonth(), now.getDate() - back)).slice(0, 10);
}

type Retailer = AnswerFrom<"platform.v1/retailer/list">["data"][number];
type Purchase = AnswerFrom<"publisher.v1/transaction/list">["data"][number];

const SHOWN = 20;
/** There are some thousands of retailers at most; a page of 500 purchases is a member's day, or some weeks. */
const PAGES = 10;
const PAGE = 500;
/** A user who may not see retailers, or has no platform, finds purchases by their statement descriptors. */
const NOT_SEEN: ReadonlySet<unknown> = new Set(["authorization_error", "not_found"]);

/**
 * A retailer by its name or a merchant id; or, where a member is named too, that member's purchases there.
 * @param members finds the members with a ref
 */
export async function findPlace(
  ask: Ask,
  { who, place, day }: PlaceQuery,
  reader: Reader,
  members: (ref: string) => Promise<readonly { readonly id: string }[]>,
): Promise<Finding[]> {
  const retailers = await findRetailers(ask, place);
  if (who === undefined) return retailers.slice(0, SHOWN).map((retailer) => toFinding(retailer));
  const found: Finding[] = [];
  for (const { id } of await members(who)) {
    const purchases = await purchasesOf(ask, id, day);
    const there = purchases.filter((purchase) => isThere(purchase, place, retailers));
    found.push(...there.map((purchase) => toPurchase(purchase, reader, who)));
  }
  return found.slice(0, SHOWN);
}

async function findRetailers(ask: Ask, place: string): Promise<Retailer[]> {
  const wanted = place.toLowerCase();
  const found: Retailer[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < PAGES; page++) {
    const question: RequestTo<"platform.v1/retailer/list"> = { pagination: { limit: PAGE, cursor } };
    let answer: AnswerFrom<"platform.v1/retailer/list">;
    try {
      answer = await ask("platform.v1/retailer/list", question);
    } catch (error) {
      if (NOT_SEEN.has((error as { code?: unknown }).code)) return [];
      throw error;
    }
    found.push(
      ...answer.data.filter(
        ({ name, merchant_ids }) =>
          name.toLowerCase().startsWith(wanted) || merchant_ids.some((id) => id.toLowerCase() === wanted),
      ),
    );
    cursor = answer.page.cursor;
    if (cursor === null) break;
  }
  return found;
}

async function purchasesOf(ask: Ask, member_id: string, day: string | undefined): Promise<Purchase[]> {
  const { data } = await ask("publisher.v1/transaction/list", {
    member_id,
    ...(day !== undefined && daySpan(day, day)),
    pagination: { limit: PAGE, cursor: null },
  });
  return [...data];
}

function isThere(
  { merchant_id, statement_descriptor = "" }: Purchase,
  place: string,
  retailers: readonly Retailer[],
): boolean {
  const wanted = place.toLowerCase();
  const merchant = merchant_id.toLowerCase();
  if (merchant === wanted || statement_descriptor.toLowerCase().startsWith(wanted)) return true;
  return retailers.some(({ merchant_ids }) => merchant_ids.some((id) => id.toLowerCase() === merchant));
}

function toFinding({ id, name, merchant_ids }: Retailer): Finding {
  const detail = `merchant ${list(merchant_ids.slice(0, 3))}; a member's purchases there: ref, ${name}, yesterday`;
  return { kind: "Retailer", title: name, detail, path: pathOf("retailer", id) };
}

/** @param who the member's ref, if it is to be shown */
export function toPurchase(
  { external_id, amount, currency, merchant_id, authed_at, state }: Omit<Purchase, "rewards">,
  reader: Reader,
  who?: string,
): Finding {
  const member = who === undefined ? "" : `${who}, `;
  const paid = amount === undefined ? "" : `${moneyText(amount, currency)} `;
  const now = state === "authorized" ? "" : `; ${state}`;
  const detail = `${member}${paid}at merchant ${merchant_id}, authorized ${moment(authed_at, reader)}${now}`;
  return { kind: "Purchase", title: external_id, detail, path: pathOf("purchase", external_id) };
}

/** Asks the console, as `call` does. */
export type Ask = <R extends ConsoleRoute>(route: R, body: RequestTo<R>) => Promise<AnswerFrom<R>>;

/** One thing that was found. */
export interface Finding {
  /** Such as `Purchase`. */
  readonly kind: string;
  readonly title: string;
  readonly detail: string | undefined;
  /** The page that shows it; undefined if none does. */
  readonly path: string | undefined;
}
