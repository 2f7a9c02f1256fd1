import type { Stream } from "#nats";
import {
  changeLetters,
  findDeadLetter,
  type LetterChange,
  matches,
  readDeadLetters,
  type StoredDeadLetter,
} from "#nats/dead-letters";
import type { LetterChangeAnswer, LetterChoice } from "./dead-letter-routes.ts";
import { type Audience, isFor, LETTERS_PER_READ } from "./read-letters.ts";

/** The most letters that a request changes, in a few seconds. The page asks again for the rest. */
export const LETTERS_PER_CHANGE = 500;

/** Puts letters back, or discards them, oldest first. It ignores letters of other organisations. */
export async function applyToLetters(
  stream: Stream,
  audience: Audience,
  choice: LetterChoice,
  change: LetterChange,
): Promise<LetterChangeAnswer> {
  const rest: Rest = { cursor: null };
  const letters = chosenLetters(stream, audience, choice, rest);
  const { done, impossible, stopped } = await changeLetters(stream, letters, change);
  return {
    done,
    impossible,
    ...(stopped !== undefined && { stopped: `at ${stopped.at.sequence}: ${messageOf(stopped.cause)}` }),
    cursor: stopped === undefined ? rest.cursor : null,
  };
}

/** For the next request; null if no letters are left. */
interface Rest {
  cursor: number | null;
}

/** The letters of a choice, as many as one request may change; `rest` gets the last one if there are more. */
async function* chosenLetters(
  stream: Stream,
  audience: Audience,
  choice: LetterChoice,
  rest: Rest,
): AsyncGenerator<StoredDeadLetter> {
  if ("sequences" in choice) {
    for (const sequence of [...new Set(choice.sequences)].sort((a, b) => a - b)) {
      const stored = await findDeadLetter(stream, sequence);
      if (stored !== undefined && isFor(audience, stored)) yield stored;
    }
    return;
  }
  const { after = 0, through } = choice;
  let [read, chosen, last] = [0, 0, after];
  for await (const stored of readDeadLetters(stream, after)) {
    if (stored.sequence > through) return;
    if (chosen === LETTERS_PER_CHANGE || read === LETTERS_PER_READ) {
      rest.cursor = last;
      return;
    }
    read++;
    last = stored.sequence;
    if (!isFor(audience, stored) || !matches(stored, choice)) continue;
    chosen++;
    yield stored;
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
