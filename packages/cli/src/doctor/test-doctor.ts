import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import type { Test } from "tap";
import { findNats, freePort } from "#embedded";
import type { Environment } from "#runtime";
import { waitFor } from "#test-support";
import { keptTerminal } from "../test-terminal.ts";
import { runDoctor } from "./doctor.ts";

/** Settings of a PostgreSQL that keeps its log, as deploy/postgres has it. */
export const ARCHIVING = { wal_level: "replica", archive_mode: "on", archive_command: "true" };

interface DoctorRun {
  readonly passed: boolean;
  /** As printed, without the columns: `fail nats: NATS does not …`. */
  readonly lines: readonly string[];
}

/** Runs the command in this process. */
export async function doctor(env: Environment, now?: () => number): Promise<DoctorRun> {
  const { said, terminal } = keptTerminal();
  const passed = await runDoctor({ env, json: false, ...(now && { now }) }, terminal);
  const lines = said.out
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/^(\w+) +(\S+(?: \S+)*?) {2,}/, "$1 $2: "));
  return { passed, lines };
}

/** The lines other than ok. */
export const complaints = (lines: readonly string[]) => lines.filter((line) => !line.startsWith("ok "));

/** A NATS server without configuration: it syncs every two minutes, or has no JetStream at all. */
export async function plainNats(
  t: Test,
  args: readonly string[],
): Promise<{ url: string; monitorUrl: string }> {
  const [port, monitorPort] = [await freePort(), await freePort()];
  const ports = ["-a", "127.0.0.1", "-p", String(port), "-m", String(monitorPort)];
  const server = spawn(findNats().path, [...ports, ...args], { stdio: "ignore" });
  const ended = once(server, "exit");
  t.teardown(async () => {
    server.kill();
    await ended;
  });
  const monitorUrl = `http://127.0.0.1:${monitorPort}`;
  await waitFor(async () => (await fetch(`${monitorUrl}/healthz`)).ok, {
    message: "nats-server answers",
  });
  return { url: `nats://127.0.0.1:${port}`, monitorUrl };
}

/** A proxy to a NATS server that changes how the server introduces itself. */
export async function disguisedNats(
  t: Test,
  port: number,
  disguise: (greeting: string) => string,
): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => (socket === near ? far : near).destroy());
    }
    // Every time: a server introduces itself again after the client has done so.
    far.setEncoding("latin1").on("data", (text: string) => near.write(disguise(text), "latin1"));
    near.pipe(far);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as { port: number }).port;
}
