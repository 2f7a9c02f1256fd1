import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Test } from "tap";
import { createProgram, Terminal } from "#cli";
import { StampedeClient } from "#client";
import type { HopStatus } from "#status";
import { makeEvent, PublisherClient, waitFor } from "#test-support";
import { processesOf } from "../../services/standalone/src/test-instance.ts";

interface Told {
  readonly hops: readonly HopStatus[];
}

/** Claims that `stampede status` shows an all-in-one under load, and one with a hop that stands still. */
export async function showsLoadAndStandstill(
  t: Test,
  { dataDir, publisherUrl, tokenFile }: { dataDir: string; publisherUrl: string; tokenFile: string },
): Promise<void> {
  const env = { STAMPEDE_DATA_DIR: dataDir };
  const token = readFileSync(tokenFile, "utf8").trim();
  const [member = ""] = await new PublisherClient(publisherUrl, token).enrol("loaded");
  const end = load(new StampedeClient({ baseUrl: publisherUrl, token }), member);
  // Ownership and the samples of streams come within seconds of the start. Only on an idle machine does every
  // hop have something in each second.
  const loaded = ["edge", "stream", "ingest", "database", "platform"];
  const calm = await waitFor(
    async () => {
      const result = await stampede(["status", "--json"], env);
      const status = JSON.parse(result.out) as Told;
      // Which partitions it owns is told later than that it runs.
      const isNamed = status.hops.some(
        ({ hop, owners }) => hop === "ingest" && /^[\d,]+ at /.test(owners[0] ?? ""),
      );
      const moves = status.hops.every(({ hop, rate }) => rate > 0 || !loaded.includes(hop));
      return result.code === 0 && isNamed && moves ? status : undefined;
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
      const result = await stampede(["status"], env);
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
  const stopped = await stampede(["status"], env);
  t.equal(stopped.code, 1);
  t.match(
    stopped.out,
    / {2}NOT READY\n[\s\S]*\ningest +down +- +-[\s\S]*\n! ingest is down\n[\s\S]*! 127\.0\.0\.1:\d+: ingest\./,
  );
  process.kill(Number.parseInt(pid, 10), "SIGCONT");
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

/** Runs the command in this process. */
async function stampede(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number; out: string }> {
  const result = { code: 0, out: "" };
  const write = (text: string) => {
    result.out += text;
  };
  const exit = (code: number) => {
    result.code = code;
  };
  const terminal = new Terminal({ write }, { write: () => {} });
  await createProgram({ terminal, env, exit }).parseAsync([...args], { from: "user" });
  return result;
}
