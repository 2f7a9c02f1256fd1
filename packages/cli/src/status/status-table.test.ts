import t from "tap";
import { type HopStatus, type ReplayStatus, Scrape } from "#status";
import { faultsOf, statusLines } from "./status-table.ts";

const A = "http://10.0.0.1:9464";
const B = "http://10.0.0.2:9464";

const HOP: HopStatus = {
  hop: "ingest",
  state: "not ready",
  rate: 12.34,
  unit: "events",
  lag: 3,
  waiting: "messages",
  oldestSeconds: undefined,
  errors: 0,
  owners: ["0 at 10.0.0.1:9464"],
  notes: ["1 of 1 processes not ready"],
};

t.test("status - failed checks and silent addresses are faults", async (t) => {
  const readiness = { ready: false, checks: { nats: { ok: false, detail: "gone for 3 s" } } };
  const sources = [{ url: A, at: 0, scrape: new Scrape(""), readiness }];
  const now = { sources, silent: [{ url: B, reason: "ECONNREFUSED" }] };
  const hops = [HOP, { ...HOP, hop: "edge", state: "not asked" as const }];
  const faults = faultsOf(now, hops);
  t.strictSame(faults, [
    "http://10.0.0.2:9464 does not answer (ECONNREFUSED)",
    "ingest is not ready (1 of 1 processes not ready)",
    "10.0.0.1:9464: nats: gone for 3 s",
  ]);
  const replays: ReplayStatus[] = [
    {
      stream: "INGEST",
      reader: "ingest",
      seconds: 3600,
      bytes: 3 * 2 ** 30,
      short: [],
      left: 12_345,
      since: "2026-05-01T00:00:00.000Z",
    },
  ];
  const lines = statusLines({ ready: false, at: "2026-05-01T00:00:00.000Z", hops, replays, faults });
  t.match(lines[0], "NOT READY");
  t.match(
    lines[3],
    /^ingest +not ready +12\.3 events\/s +3 messages +- +0\.0\/s +0 at 10\.0\.0\.1:9464; 1 of 1 /,
  );
  t.match(lines[4], /^edge +not asked +- +- +- +-/);
  t.strictSame(lines.slice(5, 8), [
    "",
    "INGEST can be read again for 60 min (3.0 GiB)",
    "ingest reads INGEST again from 2026-05-01T00:00:00.000Z on: 12,345 messages left",
  ]);
  t.equal(lines.length, 2 + 3 + 3 + 3, "a line each");
});

t.test("status - a hop that was not asked is not a fault", async (t) => {
  const now = { sources: [], silent: [] };
  t.strictSame(faultsOf(now, [{ ...HOP, state: "not asked" }]), []);
  t.strictSame(faultsOf(now, [{ ...HOP, state: "down" }]), ["ingest is down (1 of 1 processes not ready)"]);
});
