import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** Runs a tool of `node_modules/.bin` in the checkout; what it prints if it fails, by lines, else nothing. */
export async function runTool(root: string, name: string, args: readonly string[]): Promise<string[]> {
  const child = spawn(join(root, "node_modules", ".bin", name), args, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  if (code === 0) return [];
  return [...output.trimEnd().split("\n"), `${name} ended with ${signal ?? code}`];
}
