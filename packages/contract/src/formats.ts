import { holdsCardNumber, isCurrency, isTimestamp, isWebhookSecret } from "#domain/formats";

/** Control characters (C0, DEL, C1) and line separators: a single line of text must not hold them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this finds control characters
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

const isStorable = (text: string): boolean => !text.includes("\u0000") && text.isWellFormed();
const isPrintable = (text: string): boolean => !CONTROL.test(text) && text.isWellFormed();

/**
 * The string formats of the schemas: the texts that each accepts, and the wording of a violation. The
 * generated validators call `test`; `message` completes "<path> …".
 */
export const FORMATS = {
  timestamp: {
    test: isTimestamp,
    message:
      "must be an RFC 3339 timestamp with an offset, years 2000 to 2100 in UTC, at most 9 fraction digits",
  },
  currency: { test: isCurrency, message: "must be a current ISO 4217 code, such as EUR" },
  /** One line of well-formed Unicode. */
  printable: { test: isPrintable, message: "must not hold control characters or lone surrogates" },
  /** Text that the database can store: any well-formed Unicode except NUL. */
  storable: { test: isStorable, message: "must not hold NUL or lone surrogates" },
  /** Printable, and without a card number. */
  "card-free": {
    test: (text: string) => isPrintable(text) && !holdsCardNumber(text),
    message: "must be printable and must not hold a card number",
  },
  "webhook-secret": { test: isWebhookSecret, message: "must be whsec_ and the base64 of 24 to 64 bytes" },
} as const;
