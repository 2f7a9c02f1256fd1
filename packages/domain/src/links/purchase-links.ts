/**
 * A link counts for purchases authorized up to so many microseconds before it was made (contract, section 9):
 * who saves a deal at the till, while the card is being read, has saved it in time.
 */
export const LINK_GRACE_MICROSECONDS = 60 * 1_000_000;

/** When an enrolment or a clip was made, and whether its program or deal counts earlier purchases too. */
export interface LinkTimes {
  /** Microseconds since 1970, by the database's clock. */
  readonly madeAt: number;
  readonly retroactive: boolean;
}

/**
 * Whether an enrolment or a clip counts for a purchase. Only times decide, so the answer is the same whenever
 * it is asked for and whatever message asks.
 * @param authedAt of the purchase, in microseconds since 1970
 */
export function linkCounts({ madeAt, retroactive }: LinkTimes, authedAt: number): boolean {
  return retroactive || authedAt >= madeAt - LINK_GRACE_MICROSECONDS;
}

/** The links of a member that count for one of its purchases; the same object if all of them do. */
export function purchaseLinks<Clip extends LinkTimes, Enrolment extends LinkTimes>(
  links: { readonly clips: readonly Clip[]; readonly enrolments: readonly Enrolment[] },
  authedAt: number,
): { readonly clips: readonly Clip[]; readonly enrolments: readonly Enrolment[] } {
  const counts = (link: LinkTimes) => linkCounts(link, authedAt);
  if (links.clips.every(counts) && links.enrolments.every(counts)) return links;
  return { clips: links.clips.filter(counts), enrolments: links.enrolments.filter(counts) };
}
