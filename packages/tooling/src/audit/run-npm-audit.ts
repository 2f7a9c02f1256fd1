import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * One attempt and twenty seconds: with npm's own, a machine without network would wait for minutes. npm exits 1 for what it
 * found and for what went wrong, so only what it prints counts.
 * @returns what `npm audit --json` prints
 */
export async function runNpmAudit(root: string): Promise<string> {
  const args = ["audit", "--omit=dev", "--json", "--fetch-retries=0", "--fetch-timeout=20000"];
  // The npm that runs this, if one does: there may be none on the PATH.
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
