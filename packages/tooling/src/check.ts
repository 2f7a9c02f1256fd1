/**
 * `npm run check`: runs every gate and prints a line for each, and its findings. Exits 1 if one does not hold.
 * A fault that stops one gate (a missing tool, a server that does not start) fails that gate, not the others.
 */
import { GATES, type Gate } from "./gates.ts";
import { ROOT } from "./root.ts";

const write = (text: string): void => void process.stdout.write(`${text}\n`);

let failed = 0;
for (const gate of GATES) {
  const startedAt = performance.now();
  const problems = await findProblems(gate);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  write(`${problems.length === 0 ? "ok  " : "FAIL"} ${gate.name}  ${seconds} s`);
  for (const problem of problems) write(`     ${problem}`);
  if (problems.length > 0) failed++;
}
write(failed === 0 ? `all ${GATES.length} gates hold` : `${failed} of ${GATES.length} gates do not hold`);
process.exitCode = failed === 0 ? 0 : 1;

async function findProblems(gate: Gate): Promise<string[]> {
  try {
    return await gate.find(ROOT);
  } catch (error) {
    return [`could not be checked: ${(error as Error).message}`];
  }
}
