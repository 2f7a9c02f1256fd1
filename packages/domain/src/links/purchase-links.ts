/**
 * A link counts for purchases authorized at most this long before it was made (contract, section 9): a deal that is saved at the till
 * while the card is read is saved in time.
 */
export const LINK_GRACE_MICROSECONDS = 60 * 1_000_000;

/** The same, if its program or deal was retroactive when the purchase was authorized. */
export const RETROACTIVE_REACH_MICROSECONDS = 30 * 24 * 60 * 60 * 1_000_000;

/**
 * Whether a program or deal counts purchases before the enrolment or clip, and since when, the oldest first; empty: there is no such
 * program. The first entry also holds for all time before. Times are microseconds since 1970.
 */
export type RetroactiveHistory = readonly { readonly since: number; readonly retroactive: boolean }[];

/** When an enrolment or clip was made, and when its program or deal counted earlier purchases. */
export interface LinkTimes {
  /** Microseconds since 1970, by the database's clock. */
  readonly madeAt: number;
  readonly retroactive: RetroactiveHistory;
}

/**
 * Whether an enrolment or clip counts for a purchase, by the rules in force when the purchase was authorized. Only times decide, so the
 * answer is the same for every message at any time.
 * @param authedAt of the purchase, in microseconds since 1970
 */
export function linkCounts({ madeAt, retroactive }: LinkTimes, authedAt: number): boolean {
  if (authedAt >= madeAt - LINK_GRACE_MICROSECONDS) return true;
  return authedAt >= madeAt - RETROACTIVE_REACH_MICROSECONDS && wasRetroactive(retroactive, authedAt);
}

function wasRetroactive(history: RetroactiveHistory, at: number): boolean {
  const inForce = history.findLast(({ since }) => since <= at) ?? history[0];
  return inForce?.retroactive ?? false;
}

/**
 * The first time at which `after` is retroactive and `before` is not: purchases since then may have more links. Undefined if there is
 * no such time.
 */
export function retroactiveSince(before: RetroactiveHistory, after: RetroactiveHistory): number | undefined {
  const times = [0, ...[...before, ...after].map(({ since }) => since)].sort((a, b) => a - b);
  return times.find((at) => wasRetroactive(after, at) && !wasRetroactive(before, at));
}

/**
 * How far before a link its purchases may have been authorized: a look-up that goes back this far finds all purchases for which
 * `linkCounts`.
 */
export function linkReach({ retroactive }: Pick<LinkTimes, "retroactive">): number {
  const everRetroactive = retroactive.some((one) => one.retroactive);
  return everRetroactive ? RETROACTIVE_REACH_MICROSECONDS : LINK_GRACE_MICROSECONDS;
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
