import { FieldWriter, NULL } from "./fields.ts";
import { SENT_COLUMNS } from "./row-codec.ts";
import type { TransactionColumn } from "./transaction-columns.ts";

type Layout = readonly TransactionColumn["field"][];

/**
 * The fields of an event after `auth_code` and `bin`, by the version of its message. Ingest is upgraded
 * before the edge, so the previous version stays here and is still read; older ones are removed. A test has
 * the bytes of a message of each.
 */
export const INGEST_LAYOUTS: ReadonlyMap<number, Layout> = new Map<number, Layout>([
  [
    2,
    [
      "memberId",
      "externalId",
      "state",
      "network",
      "merchantId",
      "statementDescriptor",
      "amount",
      "currency",
      "authedAt",
      "clearedAt",
      "revertedAt",
    ],
  ],
]);

const PLACE_BYTES = 4;
const LENGTH_BYTES = 4;

/**
 * The message with the fields of `SENT_COLUMNS`, in that order: null if its layout has no such field.
 * @param eventsAt the position of its first event
 * @throws RangeError if it cannot be read to its end
 */
export function relay(message: Buffer, eventsAt: number, layout: Layout): Buffer {
  const writer = new FieldWriter(Buffer.allocUnsafe(message.length));
  writer.bytes(message, 0, eventsAt);
  for (let at = eventsAt; at < message.length; ) {
    const begin = at;
    at = behindField(message, behindField(message, at + PLACE_BYTES));
    writer.bytes(message, begin, at);
    const bounds = [at];
    for (const _ of layout) {
      at = behindField(message, at);
      bounds.push(at);
    }
    for (const { field } of SENT_COLUMNS) {
      const place = layout.indexOf(field);
      if (place < 0) writer.int4(NULL);
      else writer.bytes(message, bounds[place] as number, bounds[place + 1] as number);
    }
  }
  return writer.written();
}

function behindField(message: Buffer, at: number): number {
  const length = message.readInt32BE(at);
  const end = at + LENGTH_BYTES + (length === NULL ? 0 : length);
  if (length < NULL || end > message.length) throw new RangeError("a field has a length that it cannot have");
  return end;
}
