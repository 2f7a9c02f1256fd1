import type { Test } from "tap";
import { runSoak, type SoakOptions, type SoakResult } from "./soak.ts";

/** Runs a soak to its end, at which every answer must hold. */
export async function testSoak(t: Test, options: Omit<SoakOptions, "say" | "signal">): Promise<SoakResult> {
  const interrupt = new AbortController();
  t.teardown(() => interrupt.abort());
  const say = (line: string) => t.comment(line);
  const result = await runSoak({ ...options, say, signal: interrupt.signal });
  const { summary, explained } = result;
  t.comment(JSON.stringify(summary));
  t.strictSame(explained.slice(0, 10), []);
  t.equal(summary.problems, 0);
  t.strictSame(summary.unaskedEnds, {}, "no service ended unless it was killed");
  // A run without load would prove nothing.
  t.ok(summary.transactions >= 50, `${summary.transactions} transactions`);
  return result;
}
