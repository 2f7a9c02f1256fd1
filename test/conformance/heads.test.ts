import t, { type Test } from "tap";
import { SeededRandom } from "#domain";
import { hasUws } from "#http";
import { type Pipeline, type ServiceProcess, startPipeline, waitFor } from "#test-support";
import { type HeadWorld, makeRequest, type WireRequest } from "./heads/head-case.ts";
import { type Adapter, effectFaults, judgeHeads } from "./heads/judge-heads.ts";
import { makeCuts, Wire } from "./heads/wire.ts";

/**
 * Sends heads of every kind, cut into segments and pipelined, to the edge over both adapters: each answer has
 * the envelope and its trace id, nothing is 5xx but a 503, and no record is made without an answer that says
 * so.
 *
 * `HEADS_REQUESTS=1000000 node dist/test/conformance/heads.test.js` is the long run, half of it over each
 * adapter; it also fails if the event loop stood still for 200 ms. `HEADS_SEED` repeats the requests of a run
 * and their cuts, `HEADS_ONLY=7` runs one connection of it alone, and `HEADS_ADAPTER=node` one adapter.
 */
const SEED = Number(process.env.HEADS_SEED ?? Date.now() % 1_000_000);
const REQUESTS = Number(process.env.HEADS_REQUESTS ?? 4_000);
const ONLY = process.env.HEADS_ONLY === undefined ? undefined : Number(process.env.HEADS_ONLY);
const ADAPTERS: readonly Adapter[] = ["node", "uws"];

/** From this number of requests on, a run is long enough for a claim about time. */
const LONG_REQUESTS = 100_000;
const LOOP_DELAY_MS = 200;
/**
 * Many connections to uWebSockets.js wait for the 10 s after which it gives up a head that it does not
 * understand.
 */
const CONNECTIONS: Readonly<Record<Adapter, number>> = { node: 32, uws: 400 };
const MOST_PIPELINED = 5;
/** Above the 10 s after which uWebSockets.js gives up a connection. */
const ANSWER_MS = 40_000;
const FAULTS_SHOWN = 10;
/** Spreads neighbouring numbers over the states of the generator. */
const STRIDE = 0x9e3779b1;

t.setTimeout(7_200_000);

for (const adapter of ADAPTERS) {
  const isAsked = (process.env.HEADS_ADAPTER ?? adapter) === adapter;
  const skip = !isAsked || (adapter === "uws" && !hasUws() && "no binary of uWebSockets.js for this Node");
  t.test(`heads over ${adapter} (HEADS_SEED=${SEED})`, { skip }, async (t) => {
    const execArgv = ["--import", new URL("./heads/loop-delay.js", import.meta.url).href];
    const env = { STAMPEDE_HTTP_ADAPTER: adapter, STAMPEDE_LOG_LEVEL: "warn" };
    const pipeline = await startPipeline({ env, execArgv, begin: ["edge"] });
    t.teardown(() => pipeline.stop());
    await loopDelay(pipeline.edge);
    await fuzz(t, adapter, pipeline);
    const delayMs = await loopDelay(pipeline.edge);
    t.comment(`the event loop stood still for ${delayMs.toFixed(0)} ms at most`);
    if (REQUESTS >= LONG_REQUESTS) t.ok(delayMs < LOOP_DELAY_MS, "the event loop goes on");
  });
}

async function fuzz(t: Test, adapter: Adapter, { edge, publisher, store }: Pipeline): Promise<void> {
  const world: HeadWorld = {
    adapter,
    token: publisher.token,
    mark: "heads",
  };
  const faults: string[] = [];
  const answered: string[] = [];
  const tally = { requests: 0, connections: 0, refused: 0 };
  let next = ONLY ?? 0;
  const lane = async () => {
    while (ONLY === undefined ? tally.requests < REQUESTS / ADAPTERS.length : next === ONLY) {
      const number = next++;
      const random = new SeededRandom(SEED ^ Math.imul(number + 1, STRIDE));
      const requests = Array.from({ length: random.between(1, MOST_PIPELINED) }, (_, index) =>
        makeRequest(world, random, {
          number: number * MOST_PIPELINED + index,
          mayBreak: adapter === "node" || index === 0,
        }),
      );
      tally.requests += requests.length;
      tally.connections++;
      const wire = await exchange(edge, requests, random);
      const verdict = judgeHeads(adapter, requests, wire);
      wire.destroy();
      faults.push(...verdict.faults.map((fault) => `HEADS_ONLY=${number}: ${fault}`));
      answered.push(...verdict.made);
      tally.refused += verdict.refused;
    }
  };
  await Promise.all(Array.from({ length: ONLY === undefined ? CONNECTIONS[adapter] : 1 }, lane));
  const stored = await store<{ name: string }[]>`
    select name from memberbases where organisation_id = ${publisher.organisationId}`;
  t.comment({ ...tally, made: stored.length });
  t.ok(stored.length > 0, "something is made");
  faults.push(
    ...effectFaults(
      answered,
      stored.map(({ name }) => name),
    ),
  );
  t.strictSame(faults.slice(0, FAULTS_SHOWN), [], `${faults.length} faults`);
}

async function exchange(
  edge: ServiceProcess,
  requests: readonly WireRequest[],
  random: SeededRandom,
): Promise<Wire> {
  const bytes = Buffer.concat(requests.map((request) => request.bytes));
  const wire = await Wire.open(edge.url as string);
  await wire.send(
    bytes,
    makeCuts(bytes, random),
    requests.map(({ isHead }) => isHead),
  );
  await wire.until(requests.length, ANSWER_MS);
  return wire;
}

async function loopDelay({ child, output }: ServiceProcess): Promise<number> {
  const from = output().length;
  child.kill("SIGUSR2");
  const line = () => /\{"loopDelayMs":([\d.]+)\}/.exec(output().slice(from));
  const found = await waitFor(line, { message: "the process does not tell its delay" });
  return Number(found[1]);
}
