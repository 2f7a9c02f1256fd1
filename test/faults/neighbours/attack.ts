import type { Store } from "#postgres";

/** The size of an attack: `small` fits into a few seconds of `npm test`. */
export type AttackSize = "small" | "full";

/** The target of an attack, and the attacker's means: an organisation with a token that may write. */
export interface Hostile {
  readonly size: AttackSize;
  readonly edge: string;
  readonly platform: string;
  readonly token: string;
  readonly organisationId: string;
  readonly memberbase: string;
  /** The token of the attacker's own retailer at the platform, which has the merchant id `HOSTILE_MERCHANT`. */
  readonly retailerToken: string;
  /** One member of that memberbase. */
  readonly member: string;
  /** A program and a deal, which belong to no organisation. */
  readonly program: string;
  readonly deal: string;
  /** The address that the proxy in front reports for its requests. */
  readonly address: string;
  /** The results of `prepare`, such as the id of a webhook. */
  readonly prepared: readonly string[];
}

/** The merchant id of the hostile organisation's own retailer. */
export const HOSTILE_MERCHANT = "HOSTILE-1";

/** One way to occupy a resource that all callers share. */
export interface Attack {
  /** Its name in the table. */
  readonly name: string;
  /** The quiet organisation calls from the same address, with a token that the edge has not met. */
  readonly sharesAddress?: boolean;
  /** Writes what the attack needs and the API would take long to write. Runs in the process of the test. */
  readonly prepare?: (store: Store, hostile: Hostile) => Promise<readonly string[]>;
  /**
   * Begins the attack, in a separate process; resolves once the attack is in full effect. It continues until
   * that process is killed.
   */
  readonly start: (hostile: Hostile) => Promise<void>;
}

/** The smaller number in `npm test`. */
export function sized({ size }: Hostile, small: number, full: number): number {
  return size === "small" ? small : full;
}
