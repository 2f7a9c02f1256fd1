import { OUTCOME_LETTERS } from "#contract/ingest";
import type { EventOutcome, IgnoredField, Rejection } from "#domain";

/** What is remembered of a message that is applied and not yet reported and published. */
export interface MessageOutcomes {
  /** Of its events, in their order; undefined: the database refused it. */
  readonly outcomes: readonly (EventOutcome | undefined)[];
  /** The SQLSTATE of each refused event, by its place. */
  readonly refused: ReadonlyMap<number, string>;
}

/** By sequence. */
export type Unreported = ReadonlyMap<number, MessageOutcomes>;

const REFUSED = "p";
const KINDS = new Map(Object.entries(OUTCOME_LETTERS).map(([kind, letter]) => [letter as string, kind]));

type Detail = readonly [at: number, what: Rejection | readonly IgnoredField[] | string];
type Entry = readonly [sequence: number, runs: string, details?: readonly Detail[]];

/**
 * One message as JSON: its sequence, the outcomes as runs of letters ("498c2u"), and what the letters do not say. A message
 * of created transactions takes some 20 bytes, so that the position with it is rewritten cheaply with every batch.
 */
export function encodeOutcomes(sequence: number, { outcomes, refused }: MessageOutcomes): string {
  const details: Detail[] = [];
  let runs = "";
  let letter = "";
  let count = 0;
  const close = () => {
    if (count > 0) runs += `${count}${letter}`;
    count = 0;
  };
  for (let at = 0; at < outcomes.length; at++) {
    const outcome = outcomes[at];
    const next = outcome === undefined ? REFUSED : OUTCOME_LETTERS[outcome.kind];
    if (next !== letter) close();
    letter = next;
    count++;
    const detail = detailOf(outcome, refused.get(at));
    if (detail !== undefined) details.push([at, detail]);
  }
  close();
  const entry: Entry = details.length > 0 ? [sequence, runs, details] : [sequence, runs];
  return JSON.stringify(entry);
}

function detailOf(outcome: EventOutcome | undefined, sqlState: string | undefined): Detail[1] | undefined {
  if (outcome === undefined) return sqlState ?? "";
  if (outcome.kind === "rejected") return outcome.rejection;
  return outcome.ignored.length > 0 ? outcome.ignored : undefined;
}

/** @param json a JSON array of what `encodeOutcomes` made */
export function decodeUnreported(json: string): Unreported {
  return new Map((JSON.parse(json) as Entry[]).map((entry) => [entry[0], decodeEntry(entry)]));
}

function decodeEntry([, runs, details = []]: Entry): MessageOutcomes {
  const byPlace = new Map(details);
  const outcomes: (EventOutcome | undefined)[] = [];
  const refused = new Map<number, string>();
  for (const [, count, letter] of runs.matchAll(/(?<!\d)(\d+)([a-z])/g)) {
    for (let n = Number(count); n > 0; n--) {
      const at = outcomes.length;
      const detail = byPlace.get(at);
      if (letter === REFUSED) {
        refused.set(at, detail as string);
        outcomes.push(undefined);
      } else if (letter === OUTCOME_LETTERS.rejected) {
        outcomes.push({ kind: "rejected", rejection: detail as Rejection });
      } else {
        const kind = KINDS.get(letter as string) as "created" | "updated" | "unchanged";
        outcomes.push({ kind, ignored: (detail as readonly IgnoredField[] | undefined) ?? [] });
      }
    }
  }
  return { outcomes, refused };
}
