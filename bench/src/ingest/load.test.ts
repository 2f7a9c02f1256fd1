import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import { runJob } from "../kit/processes.ts";
import type { LoadResult, OpenLoopJob } from "./load.ts";

/** Until then the subject answers nothing: as if the generator itself were late. */
const COLD_MS = 1_500;
const WARM_UP_SECONDS = 0.25;

t.test("regression - late requests of the warm-up counted as latency of the measured time", async (t) => {
  let began: number | undefined;
  const server = createServer((req, res) => {
    began ??= performance.now();
    req.resume();
    const answer = () => res.end('{"status":"processed","accepted":1,"created":1,"updated":0,"unchanged":0}');
    setTimeout(answer, began + COLD_MS - performance.now());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  const job: OpenLoopJob = {
    mode: "open",
    spec: { seed: 1, run: 1, lanes: 4, requestsPerLane: 8, size: 1 },
    members: 10,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async: false,
    warmUpSeconds: WARM_UP_SECONDS,
    seconds: 0.5,
    requestsPerSecond: 40,
    connections: 16,
  };
  const { measured } = await runJob<LoadResult>(new URL("./load.js", import.meta.url), job);
  const owed = COLD_MS - WARM_UP_SECONDS * 1000;
  t.ok(measured.latency.max < owed / 2, `${measured.latency.max} ms at most`);
  t.ok((measured.statuses[200] as number) > 20, "and the warm-up was answered");
  t.ok(measured.latency.p50 > 0, "and so were the measured ones");
});
