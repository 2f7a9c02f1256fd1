/** Why something became a dead letter, by its reason. */
const REASONS: Readonly<Record<string, string>> = {
  unreadable_message: "It could not be read.",
  invalid_message: "It is not as its schema says.",
  invalid_outcome: "The platform sent an outcome that is not as its schema says.",
  invalid_record: "A record for the platform is not as its schema says.",
  poison_event: "The database refuses this event.",
  refused_by_database: "The database refuses what follows from it.",
};

export function reasonWords(reason: string): string {
  return REASONS[reason] ?? "";
}

/** What came of a change of letters, summed over the requests that it took. */
export interface ChangeSum {
  readonly done: number;
  readonly impossible: number;
  /** How many were meant, if they were named. */
  readonly named?: number;
  readonly stopped?: string;
}

/** In one or two sentences. @param done such as `put back` */
export function changeWords({ done, impossible, named, stopped }: ChangeSum, word: string): string {
  const parts = [`${letters(done)} ${word}.`];
  if (impossible > 0)
    parts.push(`Of ${letters(impossible)} nothing was kept that could be ${word}: they stay.`);
  const missing = (named ?? 0) - done - impossible;
  if (missing > 0 && stopped === undefined) parts.push(`${letters(missing)} had gone already.`);
  if (stopped !== undefined) parts.push(`Then it stopped ${stopped}. What is left is kept: try again later.`);
  return parts.join(" ");
}

const letters = (count: number) => `${count.toLocaleString("en-GB")} ${count === 1 ? "letter" : "letters"}`;
