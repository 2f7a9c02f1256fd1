import { readDeadLetters, readPartitions, type StoredDeadLetter, type Stream } from "#nats";
import type { Terminal } from "../terminal.ts";

const NOTHING = "-";

/**
 * Lists all dead letters, oldest first: one line each on `out`, or one JSON object each. No letter holds card data.
 * @throws StartError when there is no Stampede on this NATS
 */
export async function listDeadLetters(
  stream: Stream,
  { json }: { json: boolean },
  terminal: Terminal,
): Promise<void> {
  await readPartitions(stream);
  let count = 0;
  for await (const stored of readDeadLetters(stream)) {
    terminal.out(json ? toJson(stored) : toLine(stored));
    count++;
  }
  if (!json) terminal.err(count === 1 ? "1 dead letter" : `${count} dead letters`);
}

/** The letter's own `sequence` is its origin's: it becomes `from`, so that `sequence` is what `redrive` takes. */
function toJson({ sequence, at, letter }: StoredDeadLetter): string {
  const { reason, error, hop, partition, sequence: from, row, outcome, settlement, transactionId } = letter;
  return JSON.stringify({
    sequence,
    at,
    reason,
    error,
    from: { stream: hop, partition, sequence: from },
    row,
    outcome,
    settlement,
    transactionId,
  });
}

/** Tabs between the columns: no value holds one, while an external_id may hold spaces. */
function toLine({ sequence, at, letter }: StoredDeadLetter): string {
  const { reason, error = NOTHING, hop, partition, sequence: from, row } = letter;
  const externalId = row === undefined ? NOTHING : String(row.external_id);
  return [sequence, at.toISOString(), reason, error, externalId, `${hop}/${partition}/${from}`].join("\t");
}
