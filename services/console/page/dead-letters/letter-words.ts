import { count } from "../purchase/words.ts";

/** What each reason of a dead letter means. */
const REASONS: Readonly<Record<string, string>> = {
  unreadable_message: "It could not be read.",
  invalid_message: "It does not match its schema.",
  invalid_outcome: "The platform sent an outcome that does not match its schema.",
  invalid_settlement: "A settlement does not name its transaction.",
  invalid_record: "A record for the platform does not match its schema.",
  poison_event: "The database refuses this event.",
  refused_by_database: "The database refuses the rows that follow from it.",
};

export function reasonWords(reason: string): string {
  return REASONS[reason] ?? "";
}

/** The result of a change of letters, summed over its requests. */
export interface ChangeSum {
  readonly done: number;
  readonly impossible: number;
  /** How many letters were named, if they were. */
  readonly named?: number;
  readonly stopped?: string;
}

/** @param word such as `put back` */
export function changeWords({ done, impossible, named, stopped }: ChangeSum, word: string): string {
  const parts = [`${letters(done)} ${word}.`];
  if (impossible > 0)
    parts.push(`${letters(impossible)} cannot be ${word}, because the event was not kept: they stay.`);
  const missing = (named ?? 0) - done - impossible;
  if (missing > 0 && stopped === undefined) parts.push(`${letters(missing)} had gone already.`);
  if (stopped !== undefined)
    parts.push(`Then it stopped ${stopped}. The other letters are kept: try again later.`);
  return parts.join(" ");
}

const letters = (number: number) => count(number, "letter");
