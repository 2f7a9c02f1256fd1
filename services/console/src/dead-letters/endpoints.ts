import { ApiError } from "#contract";
import { badRequest, jsonResponse } from "#http";
import type { Stream } from "#nats";
import type { LetterChange } from "#nats/dead-letters";
import type { Body, ConsoleCall, ConsoleEndpoint } from "../endpoint.ts";
import { readCursor } from "../read-request.ts";
import { applyToLetters } from "./change-letters.ts";
import type { LetterChoice, LetterGroupName } from "./dead-letter-routes.ts";
import { groupLetters, listLetters, type ShownLetter, showLetter } from "./read-letters.ts";

/** Two connections to the stream of dead letters. */
interface DeadLetterStreams {
  /** The console's own user, which may read them and no more. */
  readonly reader: Stream;
  /** The operator's user, which may change them; undefined if the console has none. */
  readonly operator: Stream | undefined;
}

/** Endpoints for operators and above. They show the letters of the chosen organisation, and those that name none. */
export function deadLetterEndpoints({ reader, operator }: DeadLetterStreams): ConsoleEndpoint[] {
  return [
    reading("groups", async (call) => ({
      ...(await groupLetters(reader, audienceOf(call))),
      can_change: operator !== undefined,
    })),
    reading("list", (call) =>
      listLetters(reader, audienceOf(call), readGroup(call.body), readCursor(call.body) ?? 0),
    ),
    showing(reader, operator !== undefined),
    changing("redrive", operator),
    changing("discard", operator),
  ];
}

const audienceOf = (call: ConsoleCall) => ({ organisationId: call.organisation().id });

function reading(name: string, read: (call: ConsoleCall) => Promise<object>): ConsoleEndpoint {
  return {
    route: `dead-letters/${name}`,
    role: "operator",
    kind: "read",
    run: async (call) => jsonResponse(200, await read(call)),
  };
}

/** A letter names a purchase and its member, so showing it is a look-up. */
function showing(reader: Stream, canChange: boolean): ConsoleEndpoint {
  return {
    route: "dead-letters/show",
    role: "operator",
    kind: "look-up",
    subject: ({ sequence }) => (isSequence(sequence) ? `dead letter ${sequence}` : undefined),
    async run(call) {
      const sequence = readSequence(call.body, "sequence");
      const letter = await showLetter(reader, audienceOf(call), sequence);
      if (letter !== undefined) {
        call.about([`dead letter ${sequence}`, ...namedBy(letter)].join(", "));
        return jsonResponse(200, { ...letter, can_change: canChange });
      }
      throw new ApiError(
        "not_found",
        "no such dead letter: it was put back, discarded or is older than 30 days",
        { resource: "dead_letter" },
      );
    },
  };
}

/** The purchase and the member of a letter, for the audit. */
function namedBy(letter: ShownLetter): string[] {
  if (!("event" in letter) || letter.event === undefined) return [];
  const { external_id, member_id } = letter.event;
  return [external_id, ...(member_id === null ? [] : [member_id])];
}

function changing(change: LetterChange, operator: Stream | undefined): ConsoleEndpoint {
  return {
    route: `dead-letters/${change}`,
    role: "operator",
    kind: "change",
    subject: describeChoice,
    async run(call) {
      const choice = readChoice(call.body);
      if (operator === undefined) {
        const data = { reason: "console_nats" };
        throw new ApiError("authorization_error", "this console may only read dead letters", data);
      }
      const answer = await applyToLetters(operator, audienceOf(call), choice, change);
      call.about(`${describeChoice(call.body)}: ${answer.done} done`);
      return jsonResponse(200, answer);
    },
  };
}

/** How many letters a request may name. */
const NAMED_LETTERS = 100;

function readChoice(body: Body): LetterChoice {
  const { sequences } = body;
  if (sequences === undefined) {
    return {
      ...readGroup(body),
      after: readSequence(body, "after", 0),
      through: readSequence(body, "through"),
    };
  }
  if (isSequences(sequences)) return { sequences };
  const message = `must be 1 to ${NAMED_LETTERS} sequences`;
  throw badRequest(`/sequences ${message}`, { path: "/sequences", message });
}

function isSequences(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.length <= NAMED_LETTERS && value.every(isSequence);
}

function readGroup(body: Body): LetterGroupName {
  return { stream: readText(body, "stream"), reason: readText(body, "reason") };
}

function readText(body: Body, field: string): string {
  const text = body[field];
  if (typeof text === "string" && text.length > 0 && text.length <= 100) return text;
  const message = "must be the text that the list shows";
  throw badRequest(`/${field} ${message}`, { path: `/${field}`, message });
}

function readSequence(body: Body, field: string, fallback?: number): number {
  const value = body[field] ?? fallback;
  if (value === fallback && fallback !== undefined) return fallback;
  if (isSequence(value)) return value;
  const message = "must be a sequence, as the list shows it";
  throw badRequest(`/${field} ${message}`, { path: `/${field}`, message });
}

const isSequence = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;

/** The chosen letters, for the audit. */
function describeChoice({ sequences, stream, reason }: Body): string | undefined {
  if (isSequences(sequences))
    return sequences.length <= 10 ? sequences.join(", ") : `${sequences.length} letters`;
  return typeof stream === "string" && typeof reason === "string"
    ? `${stream} ${reason}`.slice(0, 200)
    : undefined;
}
