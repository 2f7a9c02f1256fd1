import { spawnSync } from "node:child_process";

/** Whether Prometheus' own tool is installed (it comes with Debian's package `prometheus`). */
export const hasPromtool = (): boolean => spawnSync("promtool", ["--version"]).status === 0;

/** The findings of `promtool check metrics` on an exposition in plain text, one a line. */
export function promtoolFindings(text: string): string[] {
  const { status, stderr, stdout } = spawnSync("promtool", ["check", "metrics"], {
    input: text,
    encoding: "utf8",
  });
  const said = `${stdout}${stderr}`.split("\n").filter((line) => line !== "");
  return status === 0 || said.length > 0 ? said : [`it ended with ${status}`];
}
