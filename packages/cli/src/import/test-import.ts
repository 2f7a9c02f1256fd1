import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Test } from "tap";
import { LATER_OPTIMISATION, type Pipeline, type Publisher, PublisherClient, waitFor } from "#test-support";

const MAIN = fileURLToPath(new URL("../main.js", import.meta.url));
/** Knows no other command, and starts sooner. */
export const IMPORT_MAIN = fileURLToPath(new URL("./test-import-main.js", import.meta.url));

/** A command that runs. */
export interface RunningCommand {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  /** The exit code; null if a signal ended it. */
  readonly ended: Promise<number | null>;
}

interface StartOptions {
  readonly stdin?: Readable;
  readonly nodeFlags?: readonly string[];
  readonly cwd?: string;
  readonly main?: string;
}

/** For tests: starts `stampede` as a process with these arguments, and ends it with the test. */
export function startCommand(
  t: Test,
  args: readonly string[],
  { stdin, nodeFlags = [], cwd, main = MAIN }: StartOptions = {},
): RunningCommand {
  const child = spawn(process.execPath, [...LATER_OPTIMISATION, ...nodeFlags, main, ...args], {
    env: { PATH: process.env.PATH },
    stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    ...(cwd !== undefined && { cwd }),
  });
  const said = { out: "", err: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    said.out += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said.err += text;
  });
  // The command may end before it has read everything.
  child.stdin?.on("error", () => {});
  if (stdin !== undefined && child.stdin !== null) stdin.pipe(child.stdin);
  const ended = once(child, "close").then(([code]) => code as number | null);
  t.teardown(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, out: () => said.out, err: () => said.err, ended };
}

/** For tests: runs `stampede` as a process to its end. `command` of test-command.ts costs no start of Node. */
export async function commandProcess(...parameters: Parameters<typeof startCommand>) {
  const running = startCommand(...parameters);
  const code = await running.ended;
  return { code, out: running.out(), err: running.err() };
}

/** A service that answers at once that every event is new, for tests of the importer alone. */
export async function startTakingService(t: Test) {
  let taken = 0;
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { events } = JSON.parse(Buffer.concat(parts).toString()) as { events: readonly unknown[] };
    taken += events.length;
    const counts = { accepted: events.length, created: events.length, updated: 0, unchanged: 0 };
    const headers = { "content-type": "application/json", "preference-applied": "return=representation" };
    response.writeHead(200, headers);
    response.end(JSON.stringify({ status: "processed", ...counts, outcomes: "c".repeat(events.length) }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, taken: () => taken };
}

/** An organisation with two members, and the access options of its commands. */
export async function startOrganisation(t: Test, pipeline: Pipeline) {
  const publisher = await pipeline.newPublisher();
  const client = new PublisherClient(pipeline.edge.url, publisher.token);
  const memberbase = (await client.post("member-base/create", { name: "bank" })).body.id as string;
  const members = [{ ref: "ada" }, { ref: "bob" }];
  const ids = (await client.post("member/bulk-upsert", { member_base_id: memberbase, members }))
    .body as string[];
  const dir = t.testdir({ token: publisher.token });
  const access = ["--url", pipeline.edge.url as string, "--token-file", join(dir, "token")];
  const write = (name: string, content: string | Buffer) => {
    writeFileSync(join(dir, name), content);
    return join(dir, name);
  };
  return { publisher, client, memberbase, ids: ids as [string, string], dir, access, write };
}

/** An authorization; `external_id`s are in the order of `i`. */
export const event = (member: string, i: number, changes: object = {}) => ({
  member_id: member,
  external_id: `tx-${String(i).padStart(6, "0")}`,
  auth_code: "A1B2C3",
  network: "visa",
  bin: "411111",
  merchant_id: "MID-1",
  amount: 1250,
  currency: "EUR",
  authed_at: "2026-03-01T10:00:00Z",
  ...changes,
});
export const jsonl = (events: readonly object[]) => events.map((one) => `${JSON.stringify(one)}\n`).join("");

/** The stored transactions of an organisation, by external_id. */
export async function stored({ store }: Pipeline, { organisationId }: Publisher) {
  return await store<{ externalId: string; state: string; amount: number | null }[]>`
    select external_id as "externalId", state, amount::float8 as amount from transactions
    where organisation_id = ${organisationId} order by external_id`;
}

/** Waits until a checkpoint says that this number of rows is done. */
export async function untilDone(checkpoint: string, rows: number): Promise<void> {
  await waitFor(() => JSON.parse(readFileSync(checkpoint, "utf8")).rows >= rows, {
    message: `${rows} rows are done`,
  });
}
