import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

/** Whether a program of Debian's package `prometheus` is on this machine. */
export function isInstalled(program: "prometheus" | "promtool"): boolean {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;
}

/** It computes one thing after the other, and needs little memory: parallel collections of garbage took a quarter of its time. */
const GO = { GOMAXPROCS: "1", GOGC: "400" };

/** Runs promtool. @returns its output, and whether it found no fault */
export async function promtool(...args: readonly string[]): Promise<{ ok: boolean; output: string }> {
  const child = spawn("promtool", args, {
    env: { ...process.env, ...GO },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const [code] = (await once(child, "close")) as [number | null];
  return { ok: code === 0, output };
}
