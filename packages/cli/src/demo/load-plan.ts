import type { TransactionEvent } from "#contract";
import type { TransactionState } from "#domain";
import { sum } from "./report.ts";

/** The members of a load, and the tag by which its purchases differ from those of other runs. */
export interface LoadWorld {
  readonly tag: string;
  /** When it begins, in milliseconds since 1970. The times of its purchases are counted from there. */
  readonly startedAt: number;
  /** Their purchases at `merchantId` earn stamps. */
  readonly enrolledIds: readonly string[];
  /** They buy elsewhere, and earn nothing. */
  readonly otherIds: readonly string[];
  /** Of the shop whose purchases earn. */
  readonly merchantId: string;
}

/** A load consists of blocks: this number of authorizations, then the clearing of an earlier purchase. */
export const NEW_IN_BLOCK = 4;
/** How many blocks earlier that purchase was authorized: long ago, with some 20,000 purchases in between. */
const CLEARED_AFTER_BLOCKS = 5_000;
/** The first purchase of every such block earns a stamp: one in 200. */
const EARNS_EVERY_BLOCKS = 50;
/** Stamps of one member in a row, before the next member's turn, so that the first cards are soon full. */
const IN_A_ROW = 3;
/** Other shops. */
const MERCHANTS = 500;
/** Purchases in a millisecond of the purchases' own time, so that none of them is in the future. */
const PURCHASES_PER_MS = 100;
const CLEARED_AFTER_MS = 1_000;
const ID_DIGITS = 9;

/** The beginning of all `external_id`s of a load. They sort by time, after those of other commands and of the story. */
export const prefixOf = (tag: string): string => `stampede-demo-${tag}-`;

/** The number of the purchase with this `external_id`. */
export const numberOf = (externalId: string): number => Number(externalId.slice(-ID_DIGITS));

/** Whether a purchase earns a stamp: it is paid at the shop, and cleared in the end. */
export const earns = (purchase: number): boolean => purchase % (NEW_IN_BLOCK * EARNS_EVERY_BLOCKS) === 0;

/** The authorization of a purchase. It depends on the number alone, so that another process can compute it. */
export function authorizationOf(world: LoadWorld, purchase: number): TransactionEvent {
  const isEarning = earns(purchase);
  return {
    member_id: memberOf(world, purchase),
    external_id: prefixOf(world.tag) + String(purchase).padStart(ID_DIGITS, "0"),
    auth_code: `${world.tag}-${purchase.toString(36)}`,
    network: "visa",
    bin: "45717360",
    merchant_id: isEarning ? world.merchantId : `M-${10_000 + (purchase % MERCHANTS)}`,
    amount: 150 + ((purchase * 7_919) % 20_000),
    currency: "EUR",
    authed_at: timeOf(world, purchase),
  };
}

function clearingOf(world: LoadWorld, purchase: number): TransactionEvent {
  return { ...authorizationOf(world, purchase), cleared_at: timeOf(world, purchase, CLEARED_AFTER_MS) };
}

/** The events of a block, in their order. */
export function blockEvents(world: LoadWorld, block: number): TransactionEvent[] {
  const first = block * NEW_IN_BLOCK;
  const events: TransactionEvent[] = [];
  for (let purchase = first; purchase < first + NEW_IN_BLOCK; purchase++) {
    events.push(authorizationOf(world, purchase));
  }
  const cleared = block - CLEARED_AFTER_BLOCKS;
  if (cleared >= 0) events.push(clearingOf(world, cleared * NEW_IN_BLOCK));
  return events;
}

/** Sent after the last block: the missing clearings of purchases that earn. */
export function lastEvents(world: LoadWorld, blocks: number): TransactionEvent[] {
  const events: TransactionEvent[] = [];
  for (let block = 0; block < blocks; block += EARNS_EVERY_BLOCKS) {
    if (!isClearedByBlocks(block, blocks)) events.push(clearingOf(world, block * NEW_IN_BLOCK));
  }
  return events;
}

/** The state of a purchase after this number of blocks and the last events. */
export function finalState(purchase: number, blocks: number): TransactionState {
  const isFirst = purchase % NEW_IN_BLOCK === 0;
  const isCleared = isFirst && (earns(purchase) || isClearedByBlocks(purchase / NEW_IN_BLOCK, blocks));
  return isCleared ? "cleared" : "authorized";
}

/** The totals of a load, computed from the number of its blocks alone. */
export interface LoadCounts {
  readonly events: number;
  readonly purchases: number;
  readonly cleared: number;
  readonly stamps: number;
  readonly redemptions: number;
  /** Stamps that no redemption holds. */
  readonly unredeemed: number;
}

/** @param threshold of the program: how many stamps make a redemption */
export function countLoad({ enrolledIds }: LoadWorld, blocks: number, threshold: number): LoadCounts {
  const purchases = blocks * NEW_IN_BLOCK;
  const stamps = Math.ceil(blocks / EARNS_EVERY_BLOCKS);
  const byBlocks = Math.max(0, blocks - CLEARED_AFTER_BLOCKS);
  const earningByBlocks = Math.ceil(byBlocks / EARNS_EVERY_BLOCKS);
  const cleared = byBlocks + (stamps - earningByBlocks);
  const round = IN_A_ROW * enrolledIds.length;
  const rounds = Math.floor(stamps / round);
  const perMember = enrolledIds.map((_, member) => {
    const inLastRound = Math.max(0, Math.min(IN_A_ROW, (stamps % round) - member * IN_A_ROW));
    return rounds * IN_A_ROW + inLastRound;
  });
  const redemptions = sum(perMember.map((count) => Math.floor(count / threshold)));
  return {
    events: purchases + cleared,
    purchases,
    cleared,
    stamps,
    redemptions,
    unredeemed: stamps - redemptions * threshold,
  };
}

function memberOf({ enrolledIds, otherIds }: LoadWorld, purchase: number): string {
  const turn = Math.floor(purchase / (NEW_IN_BLOCK * EARNS_EVERY_BLOCKS) / IN_A_ROW);
  const [ids, number] = earns(purchase) ? [enrolledIds, turn] : [otherIds, purchase];
  return ids[number % ids.length] as string;
}

function isClearedByBlocks(block: number, blocks: number): boolean {
  return block < blocks - CLEARED_AFTER_BLOCKS;
}

function timeOf({ startedAt }: LoadWorld, purchase: number, laterMs = 0): string {
  return new Date(startedAt + Math.floor(purchase / PURCHASES_PER_MS) + laterMs).toISOString();
}
