/**
 * The partition of a transaction: a stable hash (FNV-1a, 32 bit, over UTF-16 code units) of its
 * `external_id`. All events of one transaction take the same way through the pipeline, so their order holds.
 * The function may never change while streams hold messages.
 */
export function partitionOf(externalId: string, partitions: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < externalId.length; i++) {
    hash = Math.imul(hash ^ externalId.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0) % partitions;
}
