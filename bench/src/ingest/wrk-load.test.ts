import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import t, { type Test } from "tap";
import { runJob } from "../kit/processes.ts";
import { findWrk } from "../kit/wrk.ts";
import { renderLane } from "./event-text.ts";
import type { LoadResult } from "./load.ts";
import { ACCEPTED, UNKNOWN } from "./tally.ts";
import { createWorld } from "./world.ts";
import type { WrkJob } from "./wrk-load.ts";

const binary = findWrk();
const skip = binary === undefined && "wrk is not installed";

const SPEC = { seed: 3, run: 1, lanes: 4, requestsPerLane: 50, size: 1 };
const MEMBERS = 20;
/** Far longer than its requests need: it ends when they are used up. */
const SECONDS = 30;
const PROCESSED = '{"status":"processed","accepted":1,"created":1,"updated":0,"unchanged":0}';

interface Heard {
  readonly url: string;
  /** Head and body of each request, in the order in which they came. */
  readonly requests: { readonly authorization: string | undefined; readonly body: string }[];
  /** The number of connections opened and used. */
  readonly connections: Set<number | undefined>;
}

/** Answers requests, unless `isSilent` says no, by the number of the request. */
async function listen(t: Test, answer: (response: ServerResponse, number: number) => void): Promise<Heard> {
  const requests: Heard["requests"] = [];
  const connections: Heard["connections"] = new Set();
  const server: Server = createServer((request, response) => {
    connections.add(request.socket.remotePort);
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      requests.push({ authorization: request.headers.authorization, body });
      answer(response, requests.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.closeAllConnections());
  t.teardown(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, connections };
}

function load(url: string, more: Partial<WrkJob> = {}): Promise<LoadResult> {
  const job: WrkJob = {
    ...{ mode: "wrk", spec: SPEC, members: MEMBERS, url, async: false, warmUpSeconds: 0, seconds: SECONDS },
    ...{ binary: binary as string, threads: 2, dir: tmpdir(), graceSeconds: 5 },
    ...more,
  };
  return runJob<LoadResult>(new URL("./wrk-load.js", import.meta.url), job);
}

const RUN = { spec: SPEC, members: MEMBERS, async: false, warmUpSeconds: 0 };

for (const generator of ["closed", "wrk"]) {
  t.test(
    `${generator} - a first answer that comes when the time would be over is measured`,
    { skip: generator === "wrk" && skip },
    async (t) => {
      const seconds = 0.25;
      const heard = await listen(
        t,
        (response) => void setTimeout(() => response.end(PROCESSED), 3000 * seconds),
      );
      const job = { ...RUN, mode: "closed", url: heard.url, seconds };
      const { measured } =
        generator === "wrk"
          ? await load(heard.url, { seconds })
          : await runJob<LoadResult>(new URL("./load.js", import.meta.url), job);
      t.ok(measured.requestsPerSecond > 0);
      t.ok(measured.latency.p99 >= measured.latency.p50 && measured.latency.p50 > 0);
    },
  );
}

/** The requests that autocannon would send: the bodies of all lanes. */
function prepared(url: string): string[] {
  const target = { url, world: createWorld(SPEC.seed, MEMBERS), async: false };
  return Array.from({ length: SPEC.lanes }, (_, lane) => renderLane(SPEC, lane, target))
    .flat()
    .map(({ bytes, bodyAt }) => bytes.subarray(bodyAt).toString());
}

t.test("wrk - it sends each prepared request once, over kept connections, and stops", { skip }, async (t) => {
  const heard = await listen(t, (response) => response.end(PROCESSED));
  const result = await load(heard.url);
  t.strictSame(heard.requests.map(({ body }) => body).sort(), prepared(heard.url).sort());
  const { token } = createWorld(SPEC.seed, MEMBERS);
  t.ok(heard.requests.every(({ authorization }) => authorization === `Bearer ${token}`));
  t.equal(heard.connections.size, SPEC.lanes);
  t.ok(result.fates.every((fate) => fate === ACCEPTED));
  const { measured, counted } = result;
  t.strictSame(measured.statuses, { 200: 200 });
  t.strictSame(counted, { accepted: 200, unknown: 0, unexpected: 0 });
  t.strictSame(measured.processed, { accepted: 200, created: 200, updated: 0, unchanged: 0 });
  t.ok(measured.seconds < SECONDS, "the rate counts until the requests ran out");
  t.ok(measured.latency.p50 > 0 && measured.latency.p99 >= measured.latency.p50);
  t.equal(result.socketErrors, 0);
});

t.test("wrk - when its time is over it waits for requests under way", { skip }, async (t) => {
  const heard = await listen(t, (response) => void setTimeout(() => response.end(PROCESSED), 100));
  const result = await load(heard.url, { seconds: 1 });
  const { accepted, unknown } = result.counted ?? {};
  t.equal(accepted, heard.requests.length);
  t.equal(unknown, 0);
  t.equal(result.measured.seconds, 1);
  t.ok(heard.requests.length < SPEC.lanes * SPEC.requestsPerLane);
  t.equal(result.fates.filter((fate) => fate === ACCEPTED).length, accepted);
});

t.test("wrk - a thread with an unanswered request reports no fates", { skip }, async (t) => {
  const heard = await listen(t, (response, number) => {
    if (number !== 10) setTimeout(() => response.end(PROCESSED), 20);
  });
  const { counted, fates, measured } = await load(heard.url, { seconds: 1, threads: 1 });
  t.strictSame(counted, { accepted: heard.requests.length - 1, unknown: 1, unexpected: 0 });
  t.equal(fates.filter((fate) => fate === UNKNOWN).length, heard.requests.length);
  t.equal(measured.statuses.none, 1);
});

t.test("wrk - an unexpected answer is reported", { skip }, async (t) => {
  const heard = await listen(t, (response, number) => {
    if (number === 10) response.writeHead(422).end('{"error":"a \\"quoted\\" word"}');
    else response.end(PROCESSED);
  });
  const { counted, measured } = await load(heard.url, { threads: 1 });
  t.strictSame(counted, { accepted: 199, unknown: 0, unexpected: 1 });
  t.strictSame(measured.unexpected, ['{"error":"a \\"quoted\\" word"}']);
});
