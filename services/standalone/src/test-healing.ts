import { readFileSync } from "node:fs";
import type { Test } from "tap";
import { identify, isRunning } from "#embedded";
import { closeStore, connectStore } from "#postgres";
import { waitFor } from "#test-support";
import type { RunFile } from "./announce.ts";
import { type Instance, pidOf, readiness } from "./test-instance.ts";

const PATIENCE = { deadlineMs: 90_000 };

/** An instance whose children a test kills. */
interface Healing {
  readonly t: Test;
  readonly instance: Instance;
  readonly run: RunFile;
}

/** Waits until the instance has said that this child is back. */
export async function isBack({ instance }: Healing, child: string): Promise<void> {
  await waitFor(() => instance.stdout().includes(`${child} is back`), {
    ...PATIENCE,
    message: `${child} is back; so far ${instance.stdout()}`,
  });
}

/** Fails at once if the instance has given up. */
export async function isReadyAgain({ t, instance, run }: Healing): Promise<void> {
  const stillRuns = () => instance.process.exitCode === null && instance.process.signalCode === null;
  await waitFor(async () => !stillRuns() || (await readiness(run.opsUrl)).status === 200, {
    ...PATIENCE,
    message: `everything is back; so far ${instance.stdout()}`,
  });
  t.ok(stillRuns(), instance.stderr());
}

/** A frozen backend holds PostgreSQL back while services are killed. */
export async function healsBehindFrozenBackend(healing: Healing): Promise<void> {
  const { t, instance, run } = healing;
  const frozenPid = await backendOf(run.databaseUrl, "stampede-ingest-locks");
  const frozen = identify(frozenPid);
  t.ok(frozen);
  const children = ["PostgreSQL", "ingest", "edge"];
  const pids = await Promise.all(children.map((child) => pidOf(run.opsUrl, child)));

  process.kill(frozenPid, "SIGSTOP");
  t.teardown(() => frozen && isRunning(frozen) && process.kill(frozenPid, "SIGKILL"));
  for (const pid of pids) process.kill(pid as number, "SIGKILL");

  await waitFor(() => instance.stdout().includes("waits for PostgreSQL"), {
    ...PATIENCE,
    message: `a service says for what it waits; so far ${instance.stdout()}`,
  });
  for (const child of children) await isBack(healing, child);
  await isReadyAgain(healing);
  t.notOk(
    frozen && isRunning(frozen),
    "the frozen backend, which would write beside the new server, is gone",
  );
  const token = readFileSync(run.tokenFile, "utf8").trim();
  const answer = await fetch(`${run.publisherUrl}/publisher.v1/member-base/create`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ name: "after" }),
  });
  t.equal(answer.status, 200);
}

/** Six kills of one service within a minute are not its fault. */
export async function healsAfterSixKills(healing: Healing): Promise<void> {
  const { instance, run } = healing;
  let last: number | undefined;
  const next = async () => {
    const pid = await pidOf(run.opsUrl, "webhooks");
    return pid === last ? undefined : pid;
  };
  for (let kill = 1; kill <= 6; kill++) {
    last = await waitFor(next, { ...PATIENCE, message: `start ${kill}; so far ${instance.stdout()}` });
    process.kill(last, "SIGKILL");
  }
  await isBack(healing, "webhooks");
  await isReadyAgain(healing);
}

/** The pid of a database backend that works for this service. */
async function backendOf(databaseUrl: string, application: string): Promise<number> {
  const store = connectStore({ url: databaseUrl, max: 1, applicationName: "test" });
  try {
    const [row] = await store<{ pid: number }[]>`
      select pid from pg_stat_activity where application_name = ${application} order by pid limit 1`;
    return (row as { pid: number }).pid;
  } finally {
    await closeStore(store);
  }
}
