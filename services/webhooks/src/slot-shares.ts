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
 * a single organisation gets nearly all slots, and several get equal parts. However many of their webhooks hang, an organisation
 * that holds none finds a free slot, until the organisations are more than half of the slots. Then it waits for the end of one
 * turn, whose slot goes to the organisation that holds least.
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

/** The most slots that may be taken one after the other: each makes one less free and one more held. */
function shareOf(held: number, free: number): number {
  const room = HELD_AT_LAST + HELD_FOR_EACH_FREE * free - held;
  return Math.max(0, Math.min(free, Math.floor(room / (HELD_FOR_EACH_FREE + 1))));
}
