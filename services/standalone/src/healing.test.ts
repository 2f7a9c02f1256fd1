import { readFileSync } from "node:fs";
import t from "tap";
import { identify, isRunning } from "#embedded";
import { closeStore, connectStore } from "#postgres";
import { waitFor } from "#test-support";
import { dataDirectory, type Instance, startInstance } from "./test-instance.ts";

t.setTimeout(400_000);

const PATIENCE = { deadlineMs: 90_000 };

async function readiness(
  opsUrl: string,
): Promise<{ status: number; checks: Record<string, { detail: string }> }> {
  const response = await fetch(`${opsUrl}/readyz?verbose`);
  const { checks } = (await response.json()) as { checks: Record<string, { detail: string }> };
  return { status: response.status, checks };
}

/** The pid of a child, from the readiness check with its name; undefined if there is none. */
async function pidOf(opsUrl: string, child: string): Promise<number | undefined> {
  const { checks } = await readiness(opsUrl);
  return Number(/^process (\d+)$/.exec(checks[`standalone.${child}`]?.detail ?? "")?.[1]) || undefined;
}

const isReady = async (opsUrl: string): Promise<boolean> => (await readiness(opsUrl)).status === 200;

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

function stillRuns(instance: Instance): boolean {
  return instance.process.exitCode === null && instance.process.signalCode === null;
}

t.test(
  "the all-in-one gives up: a frozen backend holds PostgreSQL back while services are killed",
  async (t) => {
    const instance = startInstance(t, dataDirectory(t));
    const run = await instance.ready();
    const frozenPid = await backendOf(run.databaseUrl, "stampede-ingest-locks");
    const frozen = identify(frozenPid);
    t.ok(frozen);
    const [postmaster, ingest, edge] = await Promise.all(
      ["PostgreSQL", "ingest", "edge"].map((child) => pidOf(run.opsUrl, child)),
    );

    process.kill(frozenPid, "SIGSTOP");
    t.teardown(() => frozen && isRunning(frozen) && process.kill(frozenPid, "SIGKILL"));
    for (const pid of [postmaster, ingest, edge]) process.kill(pid as number, "SIGKILL");

    await waitFor(() => instance.stdout().includes("waits for PostgreSQL"), {
      ...PATIENCE,
      message: `a service says for what it waits; so far ${instance.stdout()}`,
    });
    await waitFor(async () => !stillRuns(instance) || (await isReady(run.opsUrl)), {
      ...PATIENCE,
      message: `everything is back; so far ${instance.stdout()}`,
    });
    t.ok(stillRuns(instance), instance.stderr());
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

    await t.test("six kills of one service within a minute are not its fault", async (t) => {
      let last: number | undefined;
      for (let kill = 1; kill <= 6; kill++) {
        const next = async () => {
          const pid = await pidOf(run.opsUrl, "webhooks");
          return pid === last ? undefined : pid;
        };
        last = await waitFor(next, { ...PATIENCE, message: `start ${kill}; so far ${instance.stdout()}` });
        process.kill(last, "SIGKILL");
      }
      await waitFor(async () => !stillRuns(instance) || (await isReady(run.opsUrl)), {
        ...PATIENCE,
        message: `ready again; so far ${instance.stdout()}`,
      });
      t.ok(stillRuns(instance), instance.stderr());
    });
    instance.process.kill("SIGTERM");
    t.strictSame(await instance.exited, [0, null]);
  },
);
