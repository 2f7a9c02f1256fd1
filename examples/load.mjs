/**
 * Loads an installation with new transactions as fast as it answers, and says how fast that was. For readers who want a number of
 * their own machine; what it can be compared with is in examples/README.md.
 *
 *   node examples/load.mjs [connections] [events a request] [seconds]      beside a running `npm start`; 10, 1 and 10
 *
 * Every event is a new transaction: an external_id that was sent before would be answered without a write. They are
 * time-sortable, as those of UUIDv7 are, since random ones make the database slower the more it holds.
 */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import autocannon from "autocannon";

const [connections = 10, perRequest = 1, seconds = 10] = process.argv.slice(2).map(Number);
const url = process.env.STAMPEDE_URL ?? "http://127.0.0.1:8080";
const token = process.env.STAMPEDE_TOKEN ?? readFileSync(".stampede/token", "utf8").trim();
const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
const MEMBERS = 100;

async function ask(route, body) {
  const response = await fetch(`${url}/publisher.v1/${route}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${route} was answered ${response.status}: ${await response.text()}`);
  return response.json();
}

const filters = [{ key: "name", eq: "Load" }];
const found = (await ask("member-base/list", { filters })).data[0];
const { id: member_base_id } = found ?? (await ask("member-base/create", { name: "Load" }));
const refs = Array.from({ length: MEMBERS }, (_, i) => ({ ref: `load-${i}` }));
const members = await ask("member/bulk-upsert", { member_base_id, members: refs });

let count = 0;
/** 48 bits of milliseconds, then a counter, then what tells two runs apart: they sort as they were made. */
const run = randomBytes(5).toString("hex");
const newId = () =>
  `${Date.now().toString(16).padStart(12, "0")}-${count.toString(16).padStart(9, "0")}-${run}`;
const newEvent = () => ({
  member_id: members[count % MEMBERS],
  external_id: newId(),
  auth_code: `A${String(count++ % 1_000_000).padStart(6, "0")}`,
  network: "visa",
  bin: "45717360",
  merchant_id: "M-LOAD",
  amount: 1250,
  currency: "EUR",
  authed_at: new Date().toISOString(),
});
const newBody = () => JSON.stringify({ events: Array.from({ length: perRequest }, newEvent) });

const result = await autocannon({
  url: `${url}/publisher.v1/transaction/ingest`,
  connections,
  duration: seconds,
  requests: [{ method: "POST", headers, setupRequest: (request) => ({ ...request, body: newBody() }) }],
});

const { latency, errors, non2xx } = result;
const rate = result["2xx"] / result.duration;
console.log(
  `machine: ${availableParallelism()} × ${cpus()[0]?.model ?? "unknown"}, Node ${process.versions.node}, ` +
    `load ${loadavg()[0]?.toFixed(1)} (the load itself runs on it too)`,
);
console.log(`${connections} connections, ${perRequest} events a request, ${result.duration} s`);
console.log(`${Math.round(rate)} requests/s, ${Math.round(rate * perRequest)} events/s`);
console.log(
  `p50 ${latency.p50} ms, p99 ${latency.p99} ms; ${non2xx} answered otherwise, ${errors} not at all`,
);
process.exitCode = non2xx + errors === 0 ? 0 : 1;
