/**
 * Does the work for the items of every lane, one after the other; the lanes work side by side. The first failure is
 * thrown: it aborts what is under way, and no lane begins another item.
 */
export async function inLanes<T>(
  lanes: ReadonlyArray<readonly T[]>,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  await Promise.all(
    lanes.map(async (lane) => {
      try {
        for (const item of lane) {
          if (stop.signal.aborted) return;
          await work(item, stop.signal);
        }
      } catch (error) {
        stop.abort(error);
      }
    }),
  );
  stop.signal.throwIfAborted();
}
