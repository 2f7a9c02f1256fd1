import { V7Generator } from "uuidv7";
import { type RewardContext, toUtcMicroseconds } from "#domain";

/** One for the process: ids go up from batch to batch, and within the millisecond. */
const generator = new V7Generator();

/** What the deciding of one batch may not make up itself. */
export interface BatchContext extends RewardContext {
  /** A new UUID, above all those that were given before. */
  readonly nextEventId: () => string;
}

/**
 * The time and the ids of one batch. To be made once its rows are locked: whoever gets them next then has a later time,
 * so that times go up along a collection, whichever process is next: they are the database's.
 *
 * All ids are UUIDv7 in the order in which they are asked for, because lists page by id in the order of creation, and one
 * stamp can make several cashbacks in a millisecond. So an attempt after a crash has other ids, which does no harm: a
 * batch is one database transaction. Either none of it is there and nobody has seen an id of it, or all of it is, and then
 * the stamp, the redeemed clip or the settled cashback is found and nothing is made again. A commit whose answer was lost
 * comes to the same, since the attempt after it waits for the locks of the one before.
 * @param now the database's time
 */
export function batchContext(now: Date): BatchContext {
  const ids = new Map<string, string>();
  const nextId = () => generator.generateOrResetWithTs(now.getTime()).toString();
  return {
    at: toUtcMicroseconds(now.toISOString()),
    idOf: (name) => {
      const id = ids.get(name) ?? nextId();
      ids.set(name, id);
      return id;
    },
    nextEventId: nextId,
  };
}
