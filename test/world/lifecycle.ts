import { createHash } from "node:crypto";
import type { TransactionEvent } from "#contract";

export type State = "authorized" | "cleared" | "reverted";

/** The state that must be stored for a transaction. Texts as they were sent, identifiers as hex. */
export interface Expected {
  readonly state: State;
  readonly memberId: string;
  readonly network: string;
  readonly merchantId: string;
  readonly descriptor: string | null;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly authedAt: string;
  readonly clearedAt: string | null;
  readonly revertedAt: string | null;
  readonly six: string;
  readonly eight: string | null;
}

export type Fold =
  | {
      readonly outcome: "created" | "updated" | "unchanged";
      readonly next: Expected;
      readonly ignored: string[];
    }
  | { readonly outcome: "rejected"; readonly code: "conflict" | "not_found"; readonly reason: string };

/**
 * Section 6 of the contract, written once more: how one event changes the stored state. It shares nothing
 * with the service's rules, so that it does not repeat their errors.
 */
export function fold(stored: Expected | undefined, event: TransactionEvent, isMemberGone = false): Fold {
  const next = read(event);
  if (stored === undefined) return { outcome: "created", next, ignored: [] };
  // If the member was deleted, only the card decides identity.
  if ((stored.memberId !== next.memberId && !isMemberGone) || stored.six !== next.six) {
    return { outcome: "rejected", code: "conflict", reason: "identity_mismatch" };
  }
  if (stored.state !== "authorized" && next.state !== "authorized" && next.state !== stored.state) {
    return { outcome: "rejected", code: "conflict", reason: "invalid_transition" };
  }
  const settles = stored.state === "authorized" && next.state !== "authorized";
  const [first, second] = settles ? [next, stored] : [stored, next];
  const merged: Expected = {
    ...stored,
    state: settles ? next.state : stored.state,
    clearedAt: settles ? next.clearedAt : stored.clearedAt,
    revertedAt: settles ? next.revertedAt : stored.revertedAt,
    descriptor: first.descriptor ?? second.descriptor,
    amount: first.amount ?? second.amount,
    currency: first.currency ?? second.currency,
    eight: stored.eight ?? next.eight,
  };
  const isSame = FIELDS.every((field) => merged[field] === stored[field]);
  const ignored = FIELDS.filter((field) => next[field] !== null && next[field] !== merged[field]);
  return { outcome: isSame ? "unchanged" : "updated", next: merged, ignored: ignored.filter(isTold) };
}

const FIELDS = [
  "state",
  "descriptor",
  "amount",
  "currency",
  "authedAt",
  "clearedAt",
  "revertedAt",
  "eight",
] as const satisfies readonly (keyof Expected)[];

/** The dates give the state; an event has no field for it. */
const isTold = (field: string) => field !== "state";

function read(event: TransactionEvent): Expected {
  const { cleared_at, reverted_at } = event;
  return {
    state: reverted_at !== undefined ? "reverted" : cleared_at !== undefined ? "cleared" : "authorized",
    memberId: event.member_id,
    network: event.network,
    merchantId: event.merchant_id,
    descriptor: event.statement_descriptor ?? null,
    amount: event.amount ?? null,
    currency: event.currency ?? null,
    authedAt: iso(event.authed_at),
    clearedAt: cleared_at === undefined ? null : iso(cleared_at),
    revertedAt: reverted_at === undefined ? null : iso(reverted_at),
    six: identifier(event, 6),
    eight: event.bin.length >= 8 ? identifier(event, 8) : null,
  };
}

/** Section 7 of the contract. */
export function identifier(event: TransactionEvent, digits: 6 | 8): string {
  const { auth_code, network, bin, merchant_id } = event;
  const parts = [
    "stampede:txid:v1",
    auth_code.trim().toUpperCase(),
    network,
    bin.slice(0, digits),
    merchant_id.trim().toUpperCase(),
  ];
  return createHash("sha256").update(parts.join("\n")).digest("hex");
}

const iso = (timestamp: string): string => new Date(timestamp).toISOString();

/** Equal values give equal lines. */
export function describe(expected: Expected): string {
  const { state, memberId, network, merchantId, descriptor, amount, currency } = expected;
  const { authedAt, clearedAt, revertedAt, six, eight } = expected;
  const money = `${amount ?? "-"} ${currency ?? "-"}`;
  const times = `authed ${authedAt} cleared ${clearedAt ?? "-"} reverted ${revertedAt ?? "-"}`;
  const about = `${memberId} ${network} ${merchantId} "${descriptor ?? "-"}"`;
  return `${state} ${money} ${times} ${about} ${six.slice(0, 12)} ${eight?.slice(0, 12) ?? "-"}`;
}
