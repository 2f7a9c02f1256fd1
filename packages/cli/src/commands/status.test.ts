import t, { type Test } from "tap";
import { serveOps } from "#runtime";
import { type Pipeline, type ServiceProcess, startPipeline, waitFor } from "#test-support";
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

    await t.test("watches until a signal stops it, a table each time", async (t) => {
      const edge = urls.slice(0, 1);
      let out = "";
      const terminal = new Terminal({ write: (text: string) => (out += text) }, { write: () => {} });
      const controller = new AbortController();
      const watching = showStatus({ urls: edge, intervalMs: 100, json: false }, terminal, controller.signal);
      await waitFor(() => out.split("hop ").length > 3, { message: "three tables" });
      controller.abort();
      t.equal(await watching, true);
    });
  },
);

t.test("status - reports that nothing answers, and a wrong address", async (t) => {
  const env = { STAMPEDE_DATA_DIR: t.testdir(), STAMPEDE_OPS_PORT: "1" };
  const { code, out } = await runCommand(["status", "--interval", "100ms"], env);
  t.equal(code, 1);
  t.match(out, /\n! http:\/\/127\.0\.0\.1:1 does not answer \(ECONNREFUSED\)\n$/);
  const named = { ...env, STAMPEDE_CONSOLE_OPS_URLS: "http://127.0.0.1:2,http://127.0.0.1:3" };
  const all = await runCommand(["status", "--interval", "100ms"], named);
  t.match(all.out, /! http:\/\/127\.0\.0\.1:2 does not answer .*\n! http:\/\/127\.0\.0\.1:3 does not answer/);
});
