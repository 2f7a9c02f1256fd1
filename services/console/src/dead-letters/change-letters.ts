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

/** How many letters one request changes at most: a few seconds. The page asks again for the rest. */
export const LETTERS_PER_CHANGE = 500;

/** Puts letters back, or discards them, oldest first. Those of another organisation are left out as if they were not there. */
export async function applyToLetters(
  stream: Stream,
  audience: Audience,
  choice: LetterChoice,
  change: LetterChange,
): Promise<LetterChangeAnswer> {
  const chosen = new ChosenLetters(stream, audience, choice);
  const { done, impossible, stopped } = await changeLetters(stream, chosen, change);
  return {
    done,
    impossible,
    ...(stopped !== undefined && { stopped: `at ${stopped.at.sequence}: ${messageOf(stopped.cause)}` }),
    cursor: stopped === undefined ? chosen.cursor : null,
  };
}

/** The letters of a choice, as many as one request may change. */
class ChosenLetters implements AsyncIterable<StoredDeadLetter> {
  readonly #stream: Stream;
  readonly #audience: Audience;
  readonly #choice: LetterChoice;
  /** Where the next request goes on; null while nothing was left out. */
  cursor: number | null = null;

  constructor(stream: Stream, audience: Audience, choice: LetterChoice) {
    this.#stream = stream;
    this.#audience = audience;
    this.#choice = choice;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StoredDeadLetter> {
    if ("sequences" in this.#choice) yield* this.#named(this.#choice.sequences);
    else yield* this.#ofGroup(this.#choice);
  }

  async *#named(sequences: readonly number[]): AsyncGenerator<StoredDeadLetter> {
    for (const sequence of [...new Set(sequences)].sort((a, b) => a - b)) {
      const stored = await findDeadLetter(this.#stream, sequence);
      if (stored !== undefined && isFor(this.#audience, stored)) yield stored;
    }
  }

  async *#ofGroup(
    group: Extract<LetterChoice, { readonly through: number }>,
  ): AsyncGenerator<StoredDeadLetter> {
    const { after = 0, through } = group;
    let read = 0;
    let chosen = 0;
    let last = after;
    for await (const stored of readDeadLetters(this.#stream, after)) {
      if (stored.sequence > through) return;
      if (chosen === LETTERS_PER_CHANGE || read === LETTERS_PER_READ) {
        this.cursor = last;
        return;
      }
      read++;
      last = stored.sequence;
      if (!isFor(this.#audience, stored) || !matches(stored, group)) continue;
      chosen++;
      yield stored;
    }
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
