import type { Store } from "#postgres";
import { type Log, repeat } from "#runtime";
import { sweepDeletedMemberbases } from "./sweep-deleted-memberbases.ts";
import {
  areOver,
  type DeletedMembers,
  findDeletedMembers,
  unlinkDeletedMembers,
} from "./unlink-deleted-members.ts";

/** Nothing waits for it: every reader sees at once what this only tidies up. Two small queries when there is nothing. */
const INTERVAL_MS = 2_000;

/**
 * Does in the background what the deletion of members and memberbases leaves, until the function that it returns is
 * called; that one waits for the step under way. Several processes may do it at the same time.
 */
export function startForgetting(store: Store, log: Log): () => Promise<void> {
  const { stop } = repeat({
    name: "deleted members",
    everyMs: INTERVAL_MS,
    work: createForgetting(store),
    failed: "deleted members are not forgotten yet",
    log,
  });
  return stop;
}

/**
 * One round. It never waits: deleted members are noted together with the transactions that may still write a link to
 * them, and unlinked by the first round that finds those over. What is noted is in memory only: after a crash it is
 * noted again.
 */
function createForgetting(store: Store): (stop: AbortSignal) => Promise<void> {
  let noted: DeletedMembers | undefined;
  return async (stop) => {
    while (!stop.aborted && (await sweepDeletedMemberbases(store)) > 0);
    noted ??= await findDeletedMembers(store);
    while (!stop.aborted && noted !== undefined && (await areOver(store, noted.writers))) {
      await unlinkDeletedMembers(store, noted.memberIds, stop);
      noted = await findDeletedMembers(store);
    }
  };
}
