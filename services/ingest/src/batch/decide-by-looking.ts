import { UNKNOWN_MEMBER } from "#domain";
import type { Sql } from "#postgres";
import { type DecidedBatch, decideEvents, keysAmong } from "./decide-events.ts";
import type { EventBatch } from "./event-batch.ts";
import { type LoadedForEvents, loadForEvents } from "./load-for-events.ts";

/**
 * Decides events of a batch upon what is stored of these keys; of the others nothing is, as far as the partition's owner knows.
 * Where such a key turns out to be stored, the statement that writes its row finds out. But an event whose member is unknown
 * writes no row, and is refused only if its transaction is not stored: of these the keys are looked up, too.
 * @param ords which of them, in their order
 * @param looked the events whose keys are looked up
 */
export async function decideByLooking(
  sql: Sql,
  batch: EventBatch,
  ords: readonly number[],
  looked: readonly number[],
  mode: "locked" | "looked at",
): Promise<{ readonly decided: DecidedBatch; readonly loaded: LoadedForEvents }> {
  const loaded = await loadForEvents(sql, batch, looked, mode);
  const decided = decideEvents(batch, ords, looked, loaded);
  const seen = new Set(looked.map((ord) => batch.firstOf[ord]));
  const unknown = ords.filter(
    (ord) => decided.outcomes[ord] === UNKNOWN_MEMBER && !seen.has(batch.firstOf[ord]),
  );
  if (unknown.length === 0) return { decided, loaded };
  const more = keysAmong(batch, unknown);
  const { stored, places } = await loadForEvents(sql, batch, more, mode);
  if (stored.size === 0) return { decided, loaded };
  const all = {
    ...loaded,
    stored: new Map([...loaded.stored, ...stored]),
    places: new Map([...loaded.places, ...places]),
  };
  return { decided: decideEvents(batch, ords, [...looked, ...more], all), loaded: all };
}
