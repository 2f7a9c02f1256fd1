import t from "tap";
import type { StreamReading } from "#nats";
import { Change, HOP_METRICS, HOP_SERVICES, type Labels, Scrape } from "#status";
import { KnownProcesses } from "./known-processes.ts";
import type { LiveHop, LiveState } from "./live-answer.ts";
import { LIVE_METRICS, NOTHING, type Observed } from "./observe-processes.ts";
import { readLiveState } from "./read-live-state.ts";
import type { StreamsRead } from "./stream-reader.ts";

const A = "http://10.0.0.1:9464";
const B = "http://10.0.0.2:9464";
const AT = Date.parse("2026-05-01T12:00:00Z");
const NO_STREAMS: StreamsRead = { streams: new Map(), problem: "no connection to NATS" };

/** The answers of addresses at a second of this test; one without metrics is silent. */
function observed(second: number, said: Readonly<Record<string, string | undefined>>): Observed {
  const sources = Object.entries(said).flatMap(([url, metrics]) =>
    metrics === undefined ? [] : [{ url, at: second * 1000, scrape: new Scrape(metrics) }],
  );
  const silent = Object.entries(said).flatMap(([url, metrics]) =>
    metrics === undefined ? [{ url, reason: "ECONNREFUSED" }] : [],
  );
  return { sources, silent, asked: Object.keys(said) };
}

function ingest(events: number, done: Readonly<Record<string, number>>, ready = 1): string {
  return [
    `stampede_ready{service="ingest"} ${ready}`,
    'stampede_partitions{service="ingest"} 2',
    `stampede_partitions_owned{service="ingest"} ${Object.keys(done).length}`,
    `stampede_ingest_events_total{service="ingest",result="created"} ${events}`,
    `stampede_ingest_end_to_end_duration_seconds_bucket{service="ingest",le="0.1"} ${events}`,
    `stampede_ingest_end_to_end_duration_seconds_bucket{service="ingest",le="+Inf"} ${events}`,
    ...Object.entries(done).flatMap(([stream, sequence]) => [
      `stampede_consumer_done_sequence{service="ingest",stream="${stream}"} ${sequence}`,
      `stampede_consumer_pending_messages{service="ingest",stream="${stream}"} 70`,
      `stampede_stream_oldest_message_age_seconds{service="ingest",stream="${stream}"} 7`,
    ]),
  ].join("\n");
}

const edge = (events: number, refused: number) =>
  [
    'stampede_ready{service="edge"} 1',
    `stampede_edge_message_events_sum{service="edge"} ${events}`,
    `stampede_http_requests_total{service="edge",route="transaction/ingest",code="ok"} ${events / 10}`,
    `stampede_http_requests_total{service="edge",route="transaction/ingest",code="unavailable"} ${refused}`,
    'stampede_edge_unanswered_events{service="edge"} 4',
  ].join("\n");

/** Ten messages, 1 to 10, of the last ten seconds. */
function stream(part: Partial<StreamReading> = {}): StreamReading {
  const times = { firstAt: AT - 10_000, lastAt: AT - 1_000, at: AT };
  return { messages: 10, bytes: 250, limitBytes: 1000, first: 1, last: 10, ...times, ...part };
}

function stateOf(
  before: Observed,
  now: Observed,
  read: StreamsRead,
  processes = new KnownProcesses(),
): LiveState {
  processes.update(before);
  processes.update(now);
  return readLiveState({ at: AT, change: new Change(before, now), silent: now.silent, processes, read });
}

function hopOf(state: LiveState, name: string): LiveHop {
  return state.hops.find((hop) => hop.name === name) as LiveHop;
}

t.test(
  "live state - adds the rates of all processes, and counts waiting messages by the progress of their readers",
  async (t) => {
    const before = observed(0, { [A]: ingest(100, { INGEST_0: 4 }), [B]: ingest(0, { INGEST_1: 10 }) });
    const now = observed(2, { [A]: ingest(300, { INGEST_0: 7 }), [B]: ingest(100, { INGEST_1: 10 }) });
    const streams = new Map([
      ["INGEST_0", stream()],
      ["INGEST_1", stream({ bytes: 900 })],
      ["PLATFORM_TX_0", stream()],
    ]);
    const state = stateOf(before, now, { streams, problem: null });
    t.strictSame(hopOf(state, "ingest"), {
      name: "ingest",
      state: "ready",
      perSecond: 150,
      unit: "events",
      p99Seconds: 0.099,
      timed: "from the stream to the commit",
      lag: 3,
      waiting: "messages",
      oldestSeconds: 3,
      errorsPerSecond: 0,
      processes: [
        { id: "10.0.0.1:9464", state: "ready", partitions: [0] },
        { id: "10.0.0.2:9464", state: "ready", partitions: [1] },
      ],
      unowned: 0,
      streams: [
        { name: "INGEST_0", fill: 0.25, missing: false },
        { name: "INGEST_1", fill: 0.9, missing: false },
      ],
      replays: [],
      notes: [],
    });
    t.equal(state.at, AT);
    t.strictSame(
      state.hops.map(({ name }) => name),
      ["edge", "ingest", "platform", "rewards", "webhooks"],
    );
  },
);

t.test("live state - shows the edge's events, requests and 503s", async (t) => {
  const state = stateOf(observed(0, { [A]: edge(1000, 0) }), observed(1, { [A]: edge(1500, 7) }), NO_STREAMS);
  t.match(state, { requestsPerSecond: 57, refusedPerSecond: 7, streamsProblem: "no connection to NATS" });
  t.match(hopOf(state, "edge"), {
    perSecond: 500,
    unit: "events",
    lag: 4,
    oldestSeconds: null,
    errorsPerSecond: 7,
  });
});

t.test(
  "live state - a process that does not answer is down, and its numbers are unknown: never 0",
  async (t) => {
    const before = observed(0, { [A]: ingest(100, { INGEST_0: 4, INGEST_1: 4 }), [B]: edge(10, 0) });
    const now = observed(1, { [A]: undefined, [B]: edge(20, 0) });
    const streams = new Map([
      ["INGEST_0", stream()],
      ["INGEST_1", stream()],
    ]);
    const state = stateOf(before, now, { streams, problem: null });
    t.match(hopOf(state, "ingest"), {
      state: "down",
      perSecond: null,
      p99Seconds: null,
      errorsPerSecond: null,
      lag: 20,
      oldestSeconds: 10,
      processes: [{ id: "10.0.0.1:9464", state: "down", partitions: [] }],
      notes: ["its process does not answer"],
    });
    t.strictSame(state.silent, [{ url: A, reason: "ECONNREFUSED" }]);
    t.equal(hopOf(state, "edge").perSecond, 10, "the others go on");
    t.match(hopOf(state, "webhooks"), { state: "not asked", perSecond: null, lag: null, processes: [] });
    const first = stateOf(
      NOTHING,
      observed(1, { [A]: ingest(100, { INGEST_0: 1, INGEST_1: 1 }) }),
      NO_STREAMS,
    );
    t.match(
      hopOf(first, "ingest"),
      { state: "ready", perSecond: null, p99Seconds: null },
      "no rate of one sample",
    );
  },
);

t.test("live state - a process that was restarted counts from 0 again", async (t) => {
  const before = observed(0, { [A]: ingest(1000, { INGEST_0: 1, INGEST_1: 1 }) });
  const now = observed(1, { [A]: ingest(30, { INGEST_0: 1, INGEST_1: 1 }) });
  t.equal(hopOf(stateOf(before, now, NO_STREAMS), "ingest").perSecond, 30);
});

t.test("live state - notes partitions without a reader, and processes that are not ready", async (t) => {
  const now = observed(1, { [A]: ingest(1, { INGEST_0: 1 }, 0) });
  t.match(hopOf(stateOf(NOTHING, now, NO_STREAMS), "ingest"), {
    state: "not ready",
    unowned: 1,
    notes: ["its process is not ready", "no process reads 1 partition"],
  });
  const fresh = ingest(1, { INGEST_0: 1 }).replace(/(partitions_owned.*) 1/, "$1 2");
  const taking = stateOf(NOTHING, observed(1, { [A]: fresh }), NO_STREAMS);
  t.equal(hopOf(taking, "ingest").unowned, 0, "it has taken one over, and does not know its progress yet");
});

t.test("live state - a missing stream is reported, and its waiting messages are unknown", async (t) => {
  const now = observed(1, { [A]: ingest(1, { INGEST_0: 4, INGEST_1: 4 }) });
  const streams = new Map([
    ["INGEST_0", stream()],
    ["INGEST_1", null],
  ]);
  t.match(hopOf(stateOf(now, now, { streams, problem: null }), "ingest"), {
    lag: null,
    oldestSeconds: null,
    streams: [
      { name: "INGEST_0", fill: 0.25 },
      { name: "INGEST_1", fill: null, missing: true },
    ],
    notes: ["no stream INGEST_1"],
  });
});

t.test("live state - each hop says how far back its own streams can be read again", async (t) => {
  const replay = (name: string) =>
    `${ingest(1, { [name]: 4 })}\nstampede_stream_replay_seconds{service="ingest",stream="${name}"} 3600`;
  const state = stateOf(
    NOTHING,
    observed(1, { [A]: replay("INGEST_0"), [B]: replay("OUTCOMES_0") }),
    NO_STREAMS,
  );
  t.strictSame(hopOf(state, "ingest").replays, ["INGEST can be read again for 60 min (0 MiB)"]);
  t.strictSame(hopOf(state, "rewards").replays, ["OUTCOMES can be read again for 60 min (0 MiB)"]);
  t.strictSame(hopOf(state, "platform").replays, []);
});

t.test("live state - without NATS the processes' last reports count", async (t) => {
  const now = observed(1, { [A]: ingest(1, { INGEST_0: 4, INGEST_1: 4 }) });
  t.match(hopOf(stateOf(now, now, NO_STREAMS), "ingest"), { lag: 140, oldestSeconds: 7, streams: [] });
});

t.test("live state - messages that CONFIG keeps for ever do not wait", async (t) => {
  const rewards = (done: number) =>
    ["OUTCOMES_0", "SETTLEMENT_0", "CONFIG"]
      .map((name) => `stampede_consumer_done_sequence{service="rewards",stream="${name}"} ${done}`)
      .join("\n");
  const streams = new Map([
    ["OUTCOMES_0", stream()],
    ["SETTLEMENT_0", stream({ messages: 0 })],
    ["CONFIG", stream({ firstAt: AT - 1_000_000 })],
  ]);
  const lagWith = (metrics: string) => {
    const now = observed(1, { [A]: `stampede_ready{service="rewards"} 1\n${metrics}` });
    const { lag, oldestSeconds } = hopOf(stateOf(now, now, { streams, problem: null }), "rewards");
    return { lag, oldestSeconds };
  };
  t.strictSame(lagWith(rewards(10)), { lag: 0, oldestSeconds: 0 });
  t.strictSame(lagWith(rewards(8)), { lag: 4, oldestSeconds: 2 }, "two programs have not arrived");
  t.strictSame(lagWith(""), { lag: 10, oldestSeconds: 10 }, "no process reports its progress in CONFIG");
});

/** Records the names of the metrics that it is asked for. */
class NotedScrape extends Scrape {
  readonly asked = new Set<string>();

  override samples(name: string, wanted?: Labels) {
    this.asked.add(name);
    return super.samples(name, wanted);
  }
}

t.test("live state - the console asks for every metric that it reads", async (t) => {
  const ready = HOP_SERVICES.map((service) => `stampede_ready{service="${service}"} 1`);
  const scrape = new NotedScrape([edge(1, 0), ...ready].join("\n"));
  const at = (second: number): Observed => ({ ...NOTHING, sources: [{ url: A, at: second * 1000, scrape }] });
  stateOf(at(0), at(1), NO_STREAMS);
  const asked = [...scrape.asked].map((name) => name.replace(/_(bucket|sum)$/, ""));
  t.strictSame(
    asked.filter((name) => !HOP_METRICS.includes(name) && !LIVE_METRICS.includes(name)),
    [],
  );
  t.strictSame(
    LIVE_METRICS.filter((name) => !asked.includes(name)),
    [],
  );
});
