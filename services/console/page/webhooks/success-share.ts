import type { Delivery } from "./webhook-types.ts";

/** The share is that of the newest deliveries, up to this number. */
export const SHARE_OF = 100;

/** How many of some deliveries arrived. */
export interface SuccessShare {
  readonly arrived: number;
  /** Deliveries with at least one attempt. A split delivery counts by its parts. */
  readonly tried: number;
}

export function successShare(deliveries: readonly Pick<Delivery, "state" | "attempts">[]): SuccessShare {
  const tried = deliveries.filter(({ state, attempts }) => attempts > 0 && state !== "split");
  return { arrived: tried.filter(({ state }) => state === "delivered").length, tried: tried.length };
}

/** `97.5 %`; cut, not rounded, so that 100 % means that all arrived. */
export function writeShare({ arrived, tried }: SuccessShare): string {
  if (tried === 0) return "–";
  const permille = Math.floor((arrived * 1000) / tried);
  return permille % 10 === 0 ? `${permille / 10} %` : `${(permille / 10).toFixed(1)} %`;
}
