/** How many webhooks of each organisation a statement may lease. */
export interface Shares {
  /** For each organisation that is not in `byOrganisation`. */
  readonly others: number;
  /** For organisations that may lease fewer than the statement's limit. */
  readonly byOrganisation: ReadonlyMap<string, number>;
}

/** Slots that an organisation may hold for each free slot: a single organisation gets eight ninths of all. */
const HELD_FOR_EACH_FREE = 8;
/** The last free slot goes to an organisation that holds fewer than this. */
const HELD_AT_LAST = 2;

/**
 * Shares out free slots by organisation. An organisation may take another slot while it holds fewer than `2 + 8 × (free - 1)`. So
 * a single organisation gets nearly all slots, and several that take in turn get equal parts. However many webhooks of one
 * organisation hang, another one finds a free slot if there are at least three. Of several organisations that hang one after the
 * other each takes eight ninths of what is left: the fourth takes the last of 1,000. Then the next organisation waits for the end
 * of one turn, and its slot goes to the organisation that holds least.
 * @param held slots by organisation
 * @param reserved slots, of neither `held` nor `free`, that other statements may be giving to any organisation
 */
export function shareSlots(
  held: ReadonlyMap<string, number>,
  free: number,
  limit: number,
  reserved = 0,
): Shares {
  const byOrganisation = new Map<string, number>();
  for (const [organisation, slots] of held) {
    const share = shareOf(slots + reserved, free);
    if (share < limit) byOrganisation.set(organisation, share);
  }
  // A step of the horizon reserves slots until the slowest writer ends. An organisation that holds none does not wait for that: it
  // may take a single slot beyond its share while another stays free.
  return { others: Math.max(shareOf(reserved, free), free > 1 ? 1 : 0), byOrganisation };
}

/** Whether the shares leave an organisation out. */
export function leavesOut({ others, byOrganisation }: Shares): boolean {
  return others === 0 || [...byOrganisation.values()].includes(0);
}

/** The most slots to take one after the other: each leaves one less free and one more held. */
function shareOf(held: number, free: number): number {
  const room = HELD_AT_LAST + HELD_FOR_EACH_FREE * free - held;
  return Math.max(0, Math.min(free, Math.floor(room / (HELD_FOR_EACH_FREE + 1))));
}
