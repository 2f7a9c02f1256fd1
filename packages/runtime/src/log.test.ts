import { fork } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import t from "tap";
import { createLog } from "./log.ts";

/** A log of service "edge" and the lines it wrote, parsed. */
function capture(level = "info") {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { log: createLog({ service: "edge", level, destination }), lines };
}

t.test("log - a line has its level, time, service, process and message, and nothing else", async (t) => {
  const { log, lines } = capture();
  log.info("ready");
  t.strictSame(Object.keys(lines[0] ?? {}).sort(), ["level", "msg", "pid", "service", "time"]);
  t.match(lines[0], { level: "info", service: "edge", pid: process.pid, msg: "ready" });
  t.match(lines[0]?.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

t.test("log - given fields are added as they are", async (t) => {
  const { log, lines } = capture();
  log.warn({ traceId: "a".repeat(32), events: 500, durationMs: 1.5 }, "ingested");
  t.strictSame(Object.keys(lines[0] ?? {}).sort(), [
    "durationMs",
    "events",
    "level",
    "msg",
    "pid",
    "service",
    "time",
    "traceId",
  ]);
});

t.test("log - lines below the level are not written", async (t) => {
  const { log, lines } = capture("warn");
  log.info("not this");
  log.debug("nor this");
  log.error("this");
  t.strictSame(
    lines.map((line) => [line.level, line.msg]),
    [["error", "this"]],
  );
});

t.test("log - an error shows its type, message, code and cause", async (t) => {
  const { log, lines } = capture();
  const cause = new Error("connection reset");
  const fault = Object.assign(new Error("cannot publish", { cause }), { code: "stream_lost" });
  log.error({ err: fault }, "batch failed");
  t.match(lines[0]?.err, { type: "Error", message: /cannot publish/, code: "stream_lost" });
  t.match(JSON.stringify(lines[0]?.err), "connection reset");
});

const needsLinux = process.platform === "linux" ? {} : { skip: "there is no /dev/full" };

t.test("log - a full disk under the log's file does not end the process", needsLinux, async (t) => {
  const full = openSync("/dev/full", "w");
  const child = fork(new URL("./test-log-writer.js", import.meta.url), {
    stdio: ["ignore", full, "inherit", "ipc"],
  });
  closeSync(full);
  const ended = once(child, "exit");
  for (const line of ["one", "two", "three"]) {
    child.send(line);
    const answer = await Promise.race([once(child, "message"), ended]);
    t.strictSame(answer[0], line, "it goes on, and a flush has an end");
  }
  child.disconnect();
  t.strictSame(await ended, [0, null]);
});
