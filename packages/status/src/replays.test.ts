import t from "tap";
import { Change } from "./change.ts";
import { describeReplay, REPLAY_METRICS, readReplays } from "./replays.ts";
import { NotedScrape } from "./test-scrape.ts";

/** The metrics of a stream at one address. */
function shown(stream: string, values: Readonly<Record<string, number>>): string {
  return Object.entries(values)
    .map(([name, value]) => `stampede_stream_${name}{service="ingest",stream="${stream}"} ${value}`)
    .join("\n");
}

function read(...metrics: string[]) {
  const scrape = new NotedScrape(metrics.join("\n"));
  const now = { sources: [{ url: "http://10.0.0.1:9464", at: 0, scrape }], silent: [] };
  return { replays: readReplays(new Change(now, now)), asked: scrape.asked };
}

t.test(
  "replays - a hop reaches as far back as the least of its partitions, and names those that are short",
  async (t) => {
    const { replays, asked } = read(
      shown("INGEST_0", { replay_seconds: 3600, replay_ratio: 1, kept_bytes: 2 ** 20 }),
      shown("INGEST_10", { replay_seconds: 600, replay_ratio: 1 / 6, kept_bytes: 2 ** 21 }),
      shown("OUTCOMES_0", { replay_seconds: 0, replay_ratio: 1, kept_bytes: 0 }),
      shown("CONFIG", { replay_ratio: 1 }),
    );
    t.strictSame(replays.flatMap(describeReplay), [
      "INGEST can be read again for 10 min (3 MiB); INGEST_10 for less than a quarter of the window",
      "OUTCOMES keeps nothing",
    ]);
    t.strictSame([...asked].sort(), [...REPLAY_METRICS].sort(), "the list of its metrics is complete");
  },
);

t.test("replays - the reader, its starting time, and the rest", async (t) => {
  const at = Date.parse("2026-05-01T12:00:00Z") / 1000;
  const one = { replay_seconds: 59, replay_ratio: 0.5, kept_bytes: 3 * 2 ** 30 };
  const { replays } = read(
    shown("PLATFORM_TX_0", { ...one, replay_messages: 1000, replay_since_timestamp_seconds: at + 5 }),
    shown("PLATFORM_TX_1", { ...one, replay_messages: 234, replay_since_timestamp_seconds: at }),
    shown("PLATFORM_TX_2", { ...one, replay_messages: 0, replay_since_timestamp_seconds: 0 }),
  );
  t.strictSame(replays.flatMap(describeReplay), [
    "PLATFORM_TX can be read again for 59 s (9.0 GiB)",
    "platform reads PLATFORM_TX again from 2026-05-01T12:00:00.000Z on: 1,234 messages left",
  ]);
  const [unknown] = read(shown("INGEST_0", { ...one, replay_messages: 1 })).replays;
  t.match(unknown, { left: 1, since: null });
  t.equal(unknown && describeReplay(unknown)[1], "ingest reads INGEST again: 1 message left");
});
