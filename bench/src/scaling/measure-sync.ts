import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { median } from "../results.ts";

const WRITES = 100;
const BYTES = Buffer.alloc(8 * 1024, 1);

/** Milliseconds that appending 8 KiB to a file and syncing it take there, the median. */
export async function measureSync(dir: string): Promise<number> {
  const path = join(dir, "sync-probe");
  const file = await open(path, "w");
  const spent: number[] = [];
  try {
    for (let write = 0; write < WRITES; write++) {
      const startedMs = performance.now();
      await file.write(BYTES);
      await file.datasync();
      spent.push(performance.now() - startedMs);
    }
  } finally {
    await file.close();
    await rm(path);
  }
  return median(spent, (value) => value);
}
