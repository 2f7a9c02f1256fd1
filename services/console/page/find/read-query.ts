/** Kinds of records, by the prefixes of their ids (contract, section 1, and the reference platform's). */
export const KINDS = {
  tx: "purchase",
  m: "member",
  mb: "memberbase",
  qp: "stamp",
  sc: "stamp card",
  red: "redemption",
  cb: "cashback",
  clip: "clip",
  evt: "webhook event",
  whk: "webhook",
  dlv: "webhook delivery",
  batch: "batch",
  lp: "loyalty program",
  deal: "deal",
  ret: "retailer",
  org: "organisation",
  atok: "API token",
  out: "outcome",
} as const;
export type Prefix = keyof typeof KINDS;

/** The text that was typed, and how it may be looked up. */
export interface Query {
  readonly text: string;
  readonly id: Prefix | undefined;
  /** If it is not too long for one. An integrator may have used one of our ids as an `external_id` or a `ref`. */
  readonly externalId: string | undefined;
  readonly ref: string | undefined;
  /** What is wrong with a text that looks like an id; undefined for most texts. */
  readonly hint: string | undefined;
}

const ID = /^([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
/** Looks like a damaged id: a part of one, upper case, or characters that base32 does not have. */
const NEARLY = /^([a-z]{1,5})_[0-9a-z]{4,40}$/i;
/** Neither an `external_id` nor a `ref` may hold these: control characters, halves of surrogate pairs. */
const UNPRINTABLE = /\p{Cc}|\p{Cs}/u;
const LONGEST = { externalId: 128, ref: 256 };

/** Undefined for an empty text. */
export function readQuery(typed: string): Query | undefined {
  const text = typed.trim();
  if (text === "") return undefined;
  const prefix = ID.exec(text)?.[1];
  const printable = !UNPRINTABLE.test(text);
  const length = [...text].length;
  return {
    text,
    id: isPrefix(prefix) ? prefix : undefined,
    externalId: printable && length <= LONGEST.externalId ? text : undefined,
    ref: printable && length <= LONGEST.ref ? text : undefined,
    hint: hintOf(text),
  };
}

function isPrefix(prefix: string | undefined): prefix is Prefix {
  return prefix !== undefined && Object.hasOwn(KINDS, prefix);
}

function hintOf(text: string): string | undefined {
  const prefix = NEARLY.exec(text)?.[1]?.toLowerCase();
  if (prefix === undefined || !isPrefix(prefix) || ID.test(text)) return undefined;
  const rest = text.slice(prefix.length + 1);
  if (rest.length !== 26) {
    return `It begins like the id of a ${KINDS[prefix]}, but such an id has 26 characters behind the ${prefix}_, and this has ${rest.length}.`;
  }
  return `It begins like the id of a ${KINDS[prefix]}, but has characters that our ids do not have: they are lower case, without i, l, o and u.`;
}
