import type { WebhookEvent } from "#client";

/** Colours by type: green for gains, yellow for losses, red for rejections. */
const COLOURS: ReadonlyArray<readonly [type: RegExp, code: number]> = [
  [/\.(created|cleared)$/, 32],
  [/\.(reverted|voided|unredeemed)$/, 33],
  [/\.rejected$/, 31],
];
const PLAIN_COLOUR = 36;

/** An event as one line: timestamp, type, transaction_ref and the other fields, with tabs between; or as one JSON object. */
export function printEvent(event: WebhookEvent, json: boolean, inColour: boolean): string {
  if (json) return printable(JSON.stringify(event));
  const { event_id, type, timestamp, ...rest } = event;
  const { transaction_ref: ref = "", ...fields } = { transaction_ref: "", ...rest };
  const [, code = PLAIN_COLOUR] = COLOURS.find(([pattern]) => pattern.test(type)) ?? [];
  const shownType = inColour ? `\x1b[${code}m${printable(type)}\x1b[0m` : printable(type);
  return [
    printable(timestamp),
    shownType,
    printable(ref),
    printable(JSON.stringify({ event_id, ...fields })),
  ].join("\t");
}

/** Escapes control characters: a publisher's ref must not move the cursor or break the line. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
