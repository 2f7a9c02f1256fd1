import t from "tap";
import { Terminal } from "../terminal.ts";
import { LiveLines } from "./live-lines.ts";

t.test(
  "live lines - a second's line has its own rate, and the bar of the fastest is the longest",
  async (t) => {
    let out = "";
    const lines = new LiveLines(
      new Terminal({ write: (text) => (out += text) }, { write: () => {} }),
      () => 7,
    );
    const sample = (seconds: number, committed: number, endsSecond = true) =>
      lines.add({ seconds, committed, lagMs: 130, times: { p50Ms: 80, p99Ms: 95 }, endsSecond });
    sample(0.5, 400, false);
    sample(1, 1_000);
    lines.say("something happened");
    sample(3, 1_500);
    sample(4, 3_500);
    lines.end();
    const [head, first, said, second, third] = out.split("\n");
    t.match(head, /second.*events\/s committed.*p50.*p99.*lag/);
    t.match(first, /^ {7}1 +1,000 {2}█{24} +80 ms +95 ms +0\.1 s +7$/);
    t.equal(said, "          something happened");
    t.match(second, /^ {7}3 +250 {2}█{6} /, "per second, however long the sample took");
    t.match(third, /^ {7}4 +2,000 {2}█{24} /);
    t.equal(lines.middleRate, 1_000);
  },
);

t.test(
  "live lines - on a terminal the unfinished line is overwritten, and never wider than the terminal",
  async (t) => {
    let err = "";
    const screen = { write: (text: string) => (err += text), isTTY: true, columns: 40 };
    const lines = new LiveLines(new Terminal({ write: () => {} }, screen), () => 0);
    lines.add({ seconds: 0.2, committed: 100, lagMs: 0, endsSecond: false });
    t.ok(err.startsWith("\r\x1b[K"));
    t.equal(err.replace("\r\x1b[K", "").length, 39);
  },
);
