import { type Examination, examine } from "../doctor/examine.ts";
import type { Finding } from "../doctor/finding.ts";
import type { Terminal } from "../terminal.ts";

/** As wide as the longest name of a check, so that the lines stand in columns as they come. */
const NAME_WIDTH = 24;

/**
 * Looks at everything and prints a line for each check on `out`: ok, warn or fail, what was looked at, what was found and
 * what to do. @returns whether nothing failed
 */
export async function runDoctor(
  { json, ...examination }: Examination & { json: boolean },
  terminal: Terminal,
): Promise<boolean> {
  const findings: Finding[] = [];
  for await (const finding of examine(examination)) {
    findings.push(finding);
    const { status, check, detail } = finding;
    if (!json)
      terminal.out(`${status.padEnd(4)}  ${check.padEnd(NAME_WIDTH)}  ${detail.replaceAll("\n", " ")}`);
  }
  const count = (status: Finding["status"]) => findings.filter((one) => one.status === status).length;
  const failed = count("fail");
  if (json) terminal.out(JSON.stringify({ ok: failed === 0, checks: findings }, null, 2));
  else terminal.err(`${count("ok")} ok, ${count("warn")} to look at, ${failed} failed`);
  return failed === 0;
}
