import type { Delivery } from "./webhook-types.ts";

/** Of how many deliveries the share is shown: the newest. */
export const SHARE_OF = 100;

/** How many of some deliveries arrived. */
export interface SuccessShare {
  readonly arrived: number;
  /** Those that were tried at least once. What was split counts by its parts. */
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
