/**
 * The disk under PostgreSQL, NATS, or both is full for a while, and then has room again: meanwhile the
 * all-in-one accepts no more than it can keep; it loses nothing that it answered, and recovers without help.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { Agent } from "undici";
import type { TransactionEvent } from "#contract";
import { closeStore, connectStore, type Store } from "#postgres";
import { makeEvent, PublisherClient, type RawAnswer, waitFor } from "#test-support";
import { dataDirectory, type Instance, startInstance } from "../../services/standalone/src/test-instance.ts";
import { recovered } from "./recovered.ts";

/** A new cluster takes some 40 MB, its log up to 100 until it is full; the streams reserve nothing on disk. */
const DISK = "300m";
/** The bound that the issue sets. */
const BACK_MS = 30_000;
const PATIENCE_MS = 90_000;
const LANES = 4;
const LOOK_MS = 250;
/**
 * How many requests must miss their 200 while the disk is full; the other lanes have one of their own open by
 * then.
 */
const TROUBLED = 1;

t.setTimeout(400_000);

const canMount = process.getuid?.() === 0 && process.platform === "linux" && tryMount();
const options = canMount ? {} : { skip: "needs root, and the right to mount a tmpfs" };
/** These tests mostly wait: for requests whose fate is open, and for servers. */
t.jobs = 3;

/** Both disks at once show what either one shows: for `TEST_LONG`. */
const BOTH = process.env.TEST_LONG === undefined ? [] : [["postgres", "nats"] as const];

for (const full of [["postgres"], ["nats"], ...BOTH] as const) {
  t.test(`disk full under ${full.join(" and ")}: nothing lost, and back by itself`, options, async (t) => {
    const dataDir = dataDirectory(t);
    const disks = full.map((server) => mountDisk(t, join(dataDir, server)));
    const instance = startAllInOne(t, dataDir);
    const { publisherUrl, opsUrl, databaseUrl, tokenFile } = await instance.ready();
    // Each request has a new connection: if it wrote to one that the edge has just closed for being idle,
    // while this process was busy with a disk, the failure would say nothing about a full disk.
    const connections = new Agent({ pipelining: 0 });
    t.teardown(() => connections.close());
    const client = new PublisherClient(publisherUrl, readFileSync(tokenFile, "utf8").trim(), connections);
    const [member] = (await client.enrol("one")) as [string];
    const store = connectStore({ url: databaseUrl, max: 1, applicationName: "test" });
    t.teardown(() => closeStore(store));
    const answers: Answer[] = [];
    // On a machine that is busy with other tests, the first request may take longer than an answer waits.
    await waitFor(
      async () => {
        await send(client, member, answers);
        return answers.at(-1)?.status === 200;
      },
      { deadlineMs: PATIENCE_MS, message: "all is well at first" },
    );

    const fills = await Promise.all(disks.map(fillDisk));
    await pressUntilTroubled(
      client,
      member,
      answers,
      store,
      full.some((server) => server === "postgres"),
    );
    const statuses = new Set(answers.map(({ status }) => status));
    for (const status of statuses) t.ok([200, 202, 500, 503].includes(status), `answered ${status}`);
    t.ok(answers.every(isHonest), "an answer without a certain outcome says what to do");
    t.equal(instance.process.exitCode, null);
    await toldEverywhere(t, dataDir, opsUrl, () => send(client, member, answers));

    for (const fill of fills) rmSync(fill);
    const after = [makeEvent(member)];
    await recovered(
      t,
      "the disk has room",
      async () => {
        const answer = await client.ingest(after).catch(() => undefined);
        return answer?.status === 200 ? answer : undefined;
      },
      BACK_MS,
    );
    const kept = answers.filter(({ status }) => status === 200 || status === 202).map(idOf);
    await waitFor(async () => missing(kept, await storedIds(store)).length === 0, {
      deadlineMs: PATIENCE_MS,
      message: `of ${kept.length} answered events some are not stored`,
    });
    const stored = await storedIds(store);
    t.equal(new Set(stored).size, stored.length, "each event is stored once");
    const refused = answers.filter(({ status }) => status === 503).map(idOf);
    t.strictSame(
      refused.filter((id) => stored.includes(id)),
      [],
      "events that were answered 503 are not stored",
    );
    t.equal(instance.process.exitCode, null, "the all-in-one lived through it");
    t.comment(Object.fromEntries([...statuses].map((status) => [status, count(answers, status)])));
    instance.process.kill("SIGTERM");
    t.strictSame(await instance.exited, [0, null]);
  });
}

/**
 * `stampede status`, `/readyz?verbose` and the metric say that work stands, with a cause and the action to
 * take. They name the disk only if the server says so: PostgreSQL ends if its log has no room, and NATS
 * leaves messages unanswered.
 */
async function toldEverywhere(
  t: Test,
  dataDir: string,
  opsUrl: string,
  press: () => Promise<void>,
): Promise<void> {
  const read = async (path: string) => (await fetch(opsUrl + path)).text();
  let isTold = false;
  // An idle hop looks the same as one that stands still.
  const work = (async () => {
    while (!isTold) await press();
  })();
  let said: Record<string, string> = {};
  try {
    await waitFor(
      async () => {
        const [readyz, metrics] = await Promise.all([read("/readyz?verbose"), read("/metrics")]);
        const standing = metrics.match(STANDING)?.[0] ?? "";
        said = { readyz, standing };
        // The command takes a process and a second, so it comes last.
        if (!STANDS.test(readyz) || standing === "") return delay(LOOK_MS, false);
        const { code, output } = await commandOf(dataDir, "status");
        said.status = `${code} ${output}`;
        return code === 1 && STATUS_STANDS.test(output);
      },
      { deadlineMs: PATIENCE_MS, message: "no service reports that work stands still" },
    );
  } catch (error) {
    t.comment(said);
    throw error;
  } finally {
    isTold = true;
    await work;
  }
}

const STANDING =
  /^stampede_hop_standing_seconds\{.*cause="(?:disk|stream|connection)".*\} (?:[5-9]|\d\d).*$/m;
const STANDS = /has work and has not moved for \d+ s \((?:disk|stream|connection): .+\): /;
const STATUS_STANDS = /has not moved for \d+ s \((?:disk|stream|connection)\)/;

async function commandOf(
  dataDir: string,
  ...args: string[]
): Promise<{ code: number | null; output: string }> {
  const main = fileURLToPath(new URL("../../packages/cli/src/main.js", import.meta.url));
  const env = { PATH: process.env.PATH, STAMPEDE_DATA_DIR: dataDir };
  const child = spawn(process.execPath, [main, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: child.exitCode, output: out + err };
}

interface Answer {
  readonly event: TransactionEvent;
  readonly status: number;
  readonly body: RawAnswer["body"];
}

const idOf = ({ event }: Answer): string => event.external_id;
const count = (answers: readonly Answer[], status: number): number =>
  answers.filter((answer) => answer.status === status).length;

async function send(client: PublisherClient, member: string, answers: Answer[]): Promise<void> {
  const event = makeEvent(member);
  const { status, body } = await client.ingest([event]);
  answers.push({ event, status, body });
}

/** 503: nothing was accepted. 500: the fate is unknown, and the batch id is there to look it up. */
function isHonest({ status, body }: Answer): boolean {
  if (status === 503) return body.error.code === "unavailable";
  if (status === 500) return body.error.code === "internal_error" && /^batch_/.test(body.error.data.batch_id);
  return true;
}

/** Sends over several lanes until enough requests were not answered 200. */
async function pressUntilTroubled(
  client: PublisherClient,
  member: string,
  answers: Answer[],
  store: Store,
  switchLog: boolean,
): Promise<void> {
  const before = answers.length;
  const isOver = () => answers.slice(before).filter(({ status }) => status !== 200).length >= TROUBLED;
  const lane = async () => {
    while (!isOver()) await send(client, member, answers);
  };
  const lanes = Promise.all(Array.from({ length: LANES }, lane));
  const deadline = Date.now() + PATIENCE_MS;
  while (!isOver() && Date.now() < deadline) {
    // PostgreSQL keeps spare files of its log, 16 MB each: the disk fills up before they are used up.
    if (switchLog) await store`select pg_switch_wal()`.catch(() => {});
    // A lane that fails ends the wait: otherwise the others would go on without it, and the reason would be
    // lost.
    await Promise.race([lanes, delay(200)]);
  }
  if (!isOver()) throw new Error(`the disk is full and no request fails: ${answers.length} answers`);
  await lanes;
}

function missing(wanted: readonly string[], stored: readonly string[]): string[] {
  const there = new Set(stored);
  return wanted.filter((id) => !there.has(id));
}

async function storedIds(store: Store): Promise<string[]> {
  const rows = await store<{ id: string }[]>`select external_id as id from transactions`;
  return rows.map(({ id }) => id);
}

function tryMount(): boolean {
  const dir = mkdtempSync(join(tmpdir(), "stampede-mount-"));
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", dir]);
  if (status === 0) spawnSync("umount", [dir]);
  rmSync(dir, { recursive: true, force: true });
  return status === 0;
}

/** Mounts a separate small disk at this path. */
function mountDisk(t: Test, path: string): string {
  mkdirSync(path);
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK},mode=711`, "tmpfs", path]);
  t.teardown(() => execFileSync("umount", ["-l", path]));
  return path;
}

/** @returns the file that takes all the room */
async function fillDisk(path: string): Promise<string> {
  const file = join(path, "fill");
  // Ends when no room is left; other processes take room too.
  const dd = spawn("dd", ["if=/dev/zero", `of=${file}`, "bs=64k"], { stdio: ["ignore", "ignore", "pipe"] });
  const [stderr] = await Promise.all([text(dd.stderr), once(dd, "exit")]);
  if (!/No space left/.test(stderr)) throw new Error(`the disk is not full: ${stderr}`);
  return file;
}

/** With small streams. */
function startAllInOne(t: Test, dataDir: string): Instance {
  const small = String(2 ** 24);
  const env = { STAMPEDE_STREAM_MAX_BYTES: small, STAMPEDE_LINK_MAX_BYTES: small };
  const main = fileURLToPath(new URL("../../services/standalone/src/main.js", import.meta.url));
  const instance = startInstance(t, dataDir, env, [process.execPath, main]);
  t.teardown(() => {
    if (!t.passing()) t.comment(instance.stdout() + instance.stderr());
  });
  return instance;
}
