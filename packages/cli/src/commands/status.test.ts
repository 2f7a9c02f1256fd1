import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import t, { type Test } from "tap";
import { StampedeClient } from "#client";
import { serveOps } from "#runtime";
import {
  makeEvent,
  type Pipeline,
  PublisherClient,
  type ServiceProcess,
  startPipeline,
  waitFor,
} from "#test-support";
import {
  dataDirectory,
  processesOf,
  startInstance,
} from "../../../../services/standalone/src/test-instance.ts";
import { Terminal } from "../terminal.ts";
import { runCommand } from "../test-command.ts";
import { showStatus } from "./status.ts";

interface ToldStatus {
  readonly ready: boolean;
  readonly faults: readonly string[];
  readonly hops: ReadonlyArray<{
    readonly hop: string;
    readonly state: string;
    readonly rate: number;
    readonly owners: readonly string[];
  }>;
}

/** Whether this number of ingest processes is shown with partitions: the samples that name them come later. */
function areNamed({ hops }: ToldStatus, processes: number): boolean {
  const owners = hops.find(({ hop }) => hop === "ingest")?.owners ?? [];
  return owners.filter((owner) => /^[\d,]+ at /.test(owner)).length === processes;
}

/** Sends events until the test ends it. */
function load(client: StampedeClient, member: string): () => Promise<void> {
  let isOver = false;
  const run = async () => {
    while (!isOver) {
      await client.ingest([makeEvent(member), makeEvent(member)]);
      await delay(20);
    }
  };
  const running = run();
  return async () => {
    isOver = true;
    await running;
    await client.close();
  };
}

t.test("status - shows an all-in-one under load, and one with a hop that stands still", async (t) => {
  const dataDir = dataDirectory(t);
  const instance = startInstance(t, dataDir);
  const { publisherUrl, tokenFile } = await instance.ready();
  const env = { STAMPEDE_DATA_DIR: dataDir };
  const token = readFileSync(tokenFile, "utf8").trim();
  const [member = ""] = await new PublisherClient(publisherUrl, token).enrol("loaded");
  const end = load(new StampedeClient({ baseUrl: publisherUrl, token }), member);
  // Ownership and the samples of streams come within seconds of the start. Only on an idle machine does every
  // hop have something in each second.
  const loaded = ["edge", "stream", "ingest", "database", "platform"];
  const calm = await waitFor(
    async () => {
      const result = await runCommand(["status", "--json"], env);
      const status = JSON.parse(result.out) as ToldStatus;
      const moves = status.hops.every(({ hop, rate }) => rate > 0 || !loaded.includes(hop));
      return result.code === 0 && areNamed(status, 1) && moves ? status : undefined;
    },
    { message: "it is ready, and what has work shows a rate" },
  );
  t.strictSame(
    calm.hops.map(({ hop, state }) => [hop, state]),
    ["edge", "stream", "ingest", "database", "platform", "rewards", "webhooks"].map((hop) => [hop, "ready"]),
  );
  t.match(calm.hops[2]?.owners, [/^0,1 at 127\.0\.0\.1:\d+$/]);
  const { out } = await waitFor(
    async () => {
      const result = await runCommand(["status"], env);
      return result.code === 0 && result;
    },
    { message: "it is ready, for people" },
  );
  t.match(
    out,
    / {2}ready\n\nhop +state +rate +lag +oldest +errors +owners\nedge +ready +[\d.]+ requests\/s +/,
  );
  await end();

  const [pid] = processesOf(dataDir).filter((line) => line.includes("services/ingest/")) as [string];
  process.kill(Number.parseInt(pid, 10), "SIGSTOP");
  t.teardown(() => void process.kill(Number.parseInt(pid, 10), "SIGCONT"));
  const stopped = await runCommand(["status"], env);
  t.equal(stopped.code, 1);
  t.match(
    stopped.out,
    / {2}NOT READY\n[\s\S]*\ningest +down +- +-[\s\S]*\n! ingest is down\n[\s\S]*! 127\.0\.0\.1:\d+: ingest\./,
  );
  process.kill(Number.parseInt(pid, 10), "SIGCONT");
});

/** The operations endpoints of a process of the pipeline; the test serves them. */
async function opsOf(t: Test, service: ServiceProcess): Promise<string> {
  const server = await serveOps((path, accept) => service.ops(path, accept), { host: "127.0.0.1", port: 0 });
  t.teardown(() => server.close());
  return `http://127.0.0.1:${server.port}`;
}

async function startTwoOwners(t: Test): Promise<{ pipeline: Pipeline; other: ServiceProcess }> {
  const pipeline = await startPipeline({ env: { STAMPEDE_PARTITIONS: "4" } });
  t.teardown(() => pipeline.stop());
  return { pipeline, other: await pipeline.start("ingest") };
}

t.test(
  "status - shows for separate processes the owners, the silent ones, and the ones not asked",
  async (t) => {
    const { pipeline, other } = await startTwoOwners(t);
    const urls = [await opsOf(t, pipeline.edge), await opsOf(t, pipeline.ingest), await opsOf(t, other)];
    const statusOf = async (...asked: string[]) => {
      const args = ["status", "--json", "--interval", "200ms", "--ops", ...asked];
      const { code, out } = await runCommand(args, {});
      return { code, status: JSON.parse(out) as ToldStatus };
    };
    const shared = await waitFor(
      async () => {
        const { status } = await statusOf(...urls);
        return status.ready && areNamed(status, 2) ? status : undefined;
      },
      { message: "both own some" },
    );
    const owned = shared.hops[2]?.owners.flatMap((owner) => (owner.split(" at ")[0] as string).split(","));
    t.strictSame(owned?.sort(), ["0", "1", "2", "3"]);
    t.match(
      shared.hops.map(({ hop, state }) => [hop, state]),
      [
        ["edge", "ready"],
        ["stream", "ready"],
        ["ingest", "ready"],
        ["database", "ready"],
        ["platform", "not asked"],
      ],
    );
    const part = await statusOf(urls[0] as string, urls[1] as string);
    t.match(part, { code: 1, status: { faults: ["ingest is not ready"] } });
    const silent = await statusOf(...urls, "http://127.0.0.1:1");
    t.match(silent, {
      code: 1,
      status: { ready: false, faults: ["http://127.0.0.1:1 does not answer (ECONNREFUSED)"] },
    });
  },
);

t.test("status - watches until a signal stops it, a table each time", async (t) => {
  const pipeline = await startPipeline();
  t.teardown(() => pipeline.stop());
  const urls = [await opsOf(t, pipeline.edge)];
  let out = "";
  const terminal = new Terminal({ write: (text: string) => (out += text) }, { write: () => {} });
  const controller = new AbortController();
  const watching = showStatus({ urls, intervalMs: 100, json: false }, terminal, controller.signal);
  await waitFor(() => out.split("hop ").length > 3, { message: "three tables" });
  controller.abort();
  t.equal(await watching, true);
});

t.test("status - reports that nothing answers, and a wrong address", async (t) => {
  const env = { STAMPEDE_DATA_DIR: t.testdir(), STAMPEDE_OPS_PORT: "1" };
  const { code, out } = await runCommand(["status", "--interval", "100ms"], env);
  t.equal(code, 1);
  t.match(out, /\n! http:\/\/127\.0\.0\.1:1 does not answer \(ECONNREFUSED\)\n$/);
  const named = { ...env, STAMPEDE_CONSOLE_OPS_URLS: "http://127.0.0.1:2,http://127.0.0.1:3" };
  const all = await runCommand(["status", "--interval", "100ms"], named);
  t.match(all.out, /! http:\/\/127\.0\.0\.1:2 does not answer .*\n! http:\/\/127\.0\.0\.1:3 does not answer/);
});
