import type { Settlement } from "#contract";
import { readPacked, type UnreadReason } from "#nats";

/** A settlement with where it came from, should it have to be buried. */
export interface PlacedSettlement {
  readonly organisationId: string;
  readonly transactionId: string;
  /** Place of its message in the batch. */
  readonly message: number;
  readonly said: Settlement;
}

export interface ReadSettlements {
  /** For each message why nothing of it can be read, or undefined. */
  readonly faults: readonly (UnreadReason | undefined)[];
  /** Each transaction once: any number of settlements of it mean the same. */
  readonly settlements: readonly PlacedSettlement[];
}

/** Takes the messages of a batch apart. Ingest made them, so what is in them is not judged. */
export function readSettlements(messages: readonly Uint8Array[]): ReadSettlements {
  const settlements = new Map<string, PlacedSettlement>();
  const faults = messages.map((data, message) => {
    const entries = readPacked(data, "settlements");
    if (typeof entries === "string") return entries;
    for (const said of entries as readonly Settlement[]) {
      const { organisation: organisationId, transaction: transactionId } = said;
      settlements.set(transactionId, { organisationId, transactionId, message, said });
    }
    return undefined;
  });
  return { faults, settlements: [...settlements.values()] };
}
