import type { Answer, PlatformAnswer } from "#client/types";

/** The story of one purchase: its steps in order of time, what it waits for, and the member's links. */
export type Trace = Answer<"transaction/trace">;
export type State = Trace["transaction"]["state"];

/** Told apart by `kind`. */
export type Step = Trace["steps"][number];
export type StepOf<Kind extends Step["kind"]> = Extract<Step, { kind: Kind }>;
export type StampStep = StepOf<"stamp">;
export type RedemptionStep = StepOf<"redemption" | "redemption_undone">;
export type CashbackStep = StepOf<"cashback">;
export type SettledStep = StepOf<"cashback_cleared" | "cashback_reverted">;
export type DeliveryStep = StepOf<"delivery">;

/** The most telling first. */
export type Waiting = Trace["waiting"][number];
/** An enrolment or an open clip, and whether it counts for the purchase. */
export type Link = Trace["links"][number];

/** Why each link earned something or not, by today's rules of the platform. */
export type Explanation = PlatformAnswer<"purchase/explain">;
export type Verdict = Explanation["verdicts"][number];
/** An open payment of the retailer that differs from this purchase's in one thing. */
export type NearMiss = Explanation["near_misses"][number];
export type Payment = PlatformAnswer<"payment/list">["data"][number];

/** An event that the lifecycle refused. */
export type Rejection = Answer<"transaction.rejection/list">["data"][number];
