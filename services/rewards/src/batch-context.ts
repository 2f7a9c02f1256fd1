import { uuidv7 } from "uuidv7";
import { type RewardContext, toUtcMicroseconds } from "#domain";

/** What the deciding of one batch may not make up itself. */
export interface BatchContext extends RewardContext {
  /** A new UUID, above all those that were given before. */
  readonly nextEventId: () => string;
}

/**
 * The time and the ids of one batch. To be made once its rows are locked: whoever gets them next then has a later time,
 * so that times and ids go up along a collection, as far as the clocks of the machines agree.
 *
 * All ids are UUIDv7 in the order in which they are asked for, because lists page by id in the order of creation, and one
 * stamp can make several cashbacks in a millisecond. So an attempt after a crash has other ids, which does no harm: a
 * batch is one database transaction. Either none of it is there and nobody has seen an id of it, or all of it is, and then
 * the stamp, the redeemed clip or the settled cashback is found and nothing is made again. A commit whose answer was lost
 * comes to the same, since the attempt after it waits for the locks of the one before.
 * @param nowMs milliseconds since 1970
 */
export function batchContext(nowMs: number): BatchContext {
  const ids = new Map<string, string>();
  return {
    at: toUtcMicroseconds(new Date(nowMs).toISOString()),
    idOf: (name) => {
      const id = ids.get(name) ?? uuidv7();
      ids.set(name, id);
      return id;
    },
    nextEventId: uuidv7,
  };
}
