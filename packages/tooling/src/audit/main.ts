import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../root.ts";
import { type AcceptedAdvisory, judgeAdvisories, readAuditReport } from "./judge-advisories.ts";

/**
 * `npm run audit`: asks the registry whether any shipped package has a known hole. Exits 1 for one of level
 * high or above that packages/tooling/accepted-advisories.json does not accept, and when npm itself fails. If
 * the registry cannot be asked, it says so and exits 0, unless it was called with `--required`.
 * `--accepted <file>` takes another list.
 */

const say = (text: string): void => void process.stdout.write(`audit: ${text}\n`);
const { values: flags } = parseArgs({
  options: {
    required: { type: "boolean", default: false },
    accepted: { type: "string", default: join(ROOT, "packages/tooling/accepted-advisories.json") },
  },
});

const answer = readAuditReport(await runNpmAudit(ROOT));
if ("why" in answer) {
  const fails = flags.required || answer.isOurs;
  say(`${fails ? "failed" : "skipped"}, ${answer.why}`);
  if (fails) process.exitCode = 1;
} else {
  const accepted = JSON.parse(readFileSync(flags.accepted, "utf8")) as AcceptedAdvisory[];
  const { failures, remarks } = judgeAdvisories(answer, accepted, new Date().toISOString().slice(0, 10));
  for (const remark of remarks) say(remark);
  for (const failure of failures) say(`FAIL ${failure}`);
  say(failures.length === 0 ? "nothing of level high or above" : `${failures.length} to mend`);
  if (failures.length > 0) process.exitCode = 1;
}

/**
 * One attempt and twenty seconds: with npm's defaults, a machine without network would wait for minutes. npm
 * exits 1 both for advisories and for failures, so only its output counts.
 * @returns the output of `npm audit --json`
 */
async function runNpmAudit(root: string): Promise<string> {
  const args = ["audit", "--omit=dev", "--json", "--fetch-retries=0", "--fetch-timeout=20000"];
  // The npm that runs this script, if it runs under npm: there may be none on the PATH.
  const npm = process.env.npm_execpath;
  const [command, own] = npm !== undefined && /\.c?js$/.test(npm) ? [process.execPath, [npm]] : ["npm", []];
  const child = spawn(command, [...own, ...args], { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  await once(child, "close");
  return output;
}
