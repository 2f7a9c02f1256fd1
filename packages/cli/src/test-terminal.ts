import { Terminal } from "./terminal.ts";

/** For tests: a terminal that keeps what is said on it. */
export function keptTerminal(isTTY = false) {
  const said = { out: "", err: "" };
  const keeping = (where: "out" | "err") => ({
    isTTY,
    write: (text: string) => {
      said[where] += text;
    },
  });
  return { said, terminal: new Terminal(keeping("out"), keeping("err")) };
}
