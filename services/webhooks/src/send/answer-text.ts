import { LIMITS } from "#contract";

/**
 * The beginning of an answer as text that a database can keep: no NUL, no half of a character at its end, and not more
 * than 4 KiB even where broken bytes became longer replacement characters.
 */
export function answerText(bytes: Buffer): string {
  // As a stream, so that a character which was cut off at the end is left out.
  const text = new TextDecoder().decode(bytes, { stream: true }).replaceAll("\0", "\ufffd");
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(LIMITS.deliveryAnswerKeptBytes));
  return text.slice(0, read);
}
