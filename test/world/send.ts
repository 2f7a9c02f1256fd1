import type { TransactionEvent } from "#contract";
import type { RawAnswer } from "#test-support";
import type { Book, SentRequest } from "./book.ts";
import type { Caller } from "./caller.ts";

export interface Sending {
  readonly caller: Caller;
  readonly book: Book;
  readonly events: readonly TransactionEvent[];
  readonly prefer?: "respond-async" | "return=representation" | undefined;
  /** `unless refused`: gives up if the first answer is a refusal; `malformed`: must be refused for good. */
  readonly how: "until answered" | "unless refused" | "malformed";
  /** Whether faults can have made NATS forget messages that it has delivered. Times of `Date.now`. */
  readonly touchesNats: (from: number, until: number) => boolean;
}

/** Sends one request until its fate is known, and books each attempt. Rejects when abandoned. */
export async function send(sending: Sending): Promise<void> {
  const { caller, book, events, prefer, how } = sending;
  const headers: Record<string, string> = prefer === undefined ? {} : { prefer };
  const request = book.open(events, prefer === "respond-async");
  let isUncertain = false;
  for (;;) {
    const { attempt, answer } = await caller.once("publisher", "transaction/ingest", { events }, headers);
    request.attempts.push(attempt);
    switch (meaningOf(answer)) {
      case "counts":
        if (how === "malformed") book.problems.push(`request ${request.number}: malformed, and taken`);
        book.answered(request, answer as RawAnswer, !isUncertain && isExact(request, sending));
        return;
      case "invalid":
        if (how !== "malformed") book.problems.push(`request ${request.number}: answered ${attempt.note}`);
        book.refused(request, "malformed");
        return;
      case "refused":
        if (how === "unless refused" && !isUncertain) {
          book.refused(request, "refused");
          return;
        }
        break;
      case "unknown":
        isUncertain = true;
    }
    await caller.pause();
  }
}

/** After a kill NATS no longer knows which messages it has delivered. */
function isExact({ attempts }: SentRequest, { touchesNats }: Sending): boolean {
  const from = attempts[0]?.from ?? 0;
  return !touchesNats(from, attempts.at(-1)?.until ?? from);
}

/** What an answer, or its absence, says about the events. */
function meaningOf(answer: RawAnswer | undefined): "counts" | "refused" | "invalid" | "unknown" {
  switch (answer?.status) {
    case 200:
    case 202:
    case 409:
      return "counts";
    case 404:
      return answer.body?.error?.data?.accepted === undefined ? "invalid" : "counts";
    case 503:
      return "refused";
    case undefined:
    case 500:
      return "unknown";
    default:
      return "invalid";
  }
}
