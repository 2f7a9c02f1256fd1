/** How many webhooks of each organisation a statement may lease. */
export interface Shares {
  /** Of an organisation that is not in `byOrganisation`. */
  readonly others: number;
  /** Of those that may lease fewer. */
  readonly byOrganisation: ReadonlyMap<string, number>;
}

/** Slots that an organisation may hold for each that is free, so that one alone gets eight ninths of them. */
const HELD_FOR_EACH_FREE = 8;
/** The last free slot is for an organisation that holds fewer than this. */
const HELD_AT_LAST = 2;

/**
 * Shares out free slots by organisation. How many one may hold depends on how many are free: it may take another slot while it
 * holds fewer than `2 + 8 × (free - 1)`. So one organisation alone gets nearly all slots, several get equal parts, and however
 * many webhooks of theirs hang there is a slot for one that holds none, until more organisations than half of the slots take
 * part. Without that it would wait for the end of one turn: a turn of theirs that ends gives its slot to who holds least.
 * @param held slots by organisation
 */
export function shareSlots(held: ReadonlyMap<string, number>, free: number, limit: number): Shares {
  const byOrganisation = new Map<string, number>();
  for (const [organisation, slots] of held) {
    const share = shareOf(slots, free);
    if (share < limit) byOrganisation.set(organisation, share);
  }
  return { others: shareOf(0, free), byOrganisation };
}

/** The most that may be taken one after the other: with each there is one less free and one more held. */
function shareOf(held: number, free: number): number {
  const room = HELD_AT_LAST + HELD_FOR_EACH_FREE * free - held;
  return Math.max(0, Math.min(free, Math.floor(room / (HELD_FOR_EACH_FREE + 1))));
}
