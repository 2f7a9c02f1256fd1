import type { Stream } from "#nats";
import {
  decodeLetter,
  findDeadLetter,
  LetterGroups,
  matches,
  readDeadLetters,
  type StoredDeadLetter,
} from "#nats/dead-letters";
import type {
  LetterGroupName,
  LetterGroups as LetterGroupsAnswer,
  LetterLine,
  LetterPage,
} from "./dead-letter-routes.ts";

/** How many letters one request reads at most: about a second. */
export const LETTERS_PER_READ = 10_000;
/** How many letters a page of the list has at most. */
export const LETTERS_PER_PAGE = 100;
/** Enough of a hash to compare two by eye, and too little to look a card up by. */
export const shortIdentifier = (hash: string): string => `${hash.slice(0, 8)}…`;

/** A user sees the letters of one organisation, and those that name none. */
export interface Audience {
  /** UUID. */
  readonly organisationId: string;
}

/** Counts the oldest `LETTERS_PER_READ` letters by stream and reason. */
export async function groupLetters(
  stream: Stream,
  audience: Audience,
): Promise<Omit<LetterGroupsAnswer, "can_change">> {
  const groups = new LetterGroups();
  let read = 0;
  let through = 0;
  let more = false;
  for await (const stored of readDeadLetters(stream)) {
    if (read === LETTERS_PER_READ) {
      more = true;
      break;
    }
    read++;
    through = stored.sequence;
    if (isFor(audience, stored)) groups.add(stored);
  }
  return {
    groups: groups.sorted.map(({ oldest, newest, errors, ...group }) => ({
      ...group,
      oldest: oldest.toISOString(),
      newest: newest.toISOString(),
      errors: Object.fromEntries(errors),
    })),
    through,
    more,
  };
}

/** A page of a group. */
export async function listLetters(
  stream: Stream,
  audience: Audience,
  group: LetterGroupName,
  after: number,
): Promise<LetterPage> {
  const data: LetterLine[] = [];
  let read = 0;
  let last = after;
  for await (const stored of readDeadLetters(stream, after)) {
    if (data.length === LETTERS_PER_PAGE || read === LETTERS_PER_READ) {
      return { data, page: { cursor: String(last) } };
    }
    read++;
    last = stored.sequence;
    if (isFor(audience, stored) && matches(stored, group)) data.push(toLine(stored));
  }
  return { data, page: { cursor: null } };
}

/** One letter with its body as the API would show it, without card data and whole identifiers; undefined if there is none. */
export async function showLetter(stream: Stream, audience: Audience, sequence: number) {
  const stored = await findDeadLetter(stream, sequence);
  if (stored === undefined || !isFor(audience, stored)) return undefined;
  const decoded = decodeLetter(stored);
  if (!("event" in decoded) || decoded.event === undefined) return decoded;
  const identifiers = decoded.event.identifiers.map(shortIdentifier);
  return { ...decoded, event: { ...decoded.event, identifiers } };
}

export type ShownLetter = NonNullable<Awaited<ReturnType<typeof showLetter>>>;

/** Whether a user of this organisation may see and change a letter. */
export function isFor({ organisationId }: Audience, { letter }: StoredDeadLetter): boolean {
  const owner = letter.row?.organisationId ?? letter.settlement?.organisation;
  return owner === undefined || owner === organisationId;
}

function toLine({ sequence, at, letter }: StoredDeadLetter): LetterLine {
  const { reason, error, hop, row, outcome, settlement } = letter;
  return {
    sequence,
    at: at.toISOString(),
    reason,
    ...(error !== undefined && { error }),
    stream: hop,
    ...(row !== undefined && { external_id: row.externalId }),
    can_be_redriven: row !== undefined || outcome !== undefined || settlement !== undefined,
  };
}
