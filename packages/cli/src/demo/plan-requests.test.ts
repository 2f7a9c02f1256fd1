import t from "tap";
import type { TransactionEvent } from "#contract";
import { isRefusal, modelEvents, type Outcome } from "./model.ts";
import { type IngestRequest, type Lane, planRequests } from "./plan-requests.ts";
import { eventsOf, resolveSample } from "./prepare-run.ts";
import { generateSample } from "./sample.ts";

const LANES = 8;
const sample = generateSample(Date.UTC(2026, 0, 5, 6));
const memberIds = new Map(sample.refs.map((ref) => [ref, `m_${ref}`]));
const entries = resolveSample(sample, "test", memberIds);
const events = eventsOf(entries);
const { outcomes } = modelEvents(events, new Set(memberIds.values()));
const lanes = planRequests(entries, outcomes, LANES);
const ingests = (lane: Lane) => lane.filter((request): request is IngestRequest => request.kind === "ingest");

const isRefused = (event: TransactionEvent) => isRefusal(outcomes.get(event) as Outcome);

t.test("plan - every event is sent once, and has its own outcome", async (t) => {
  const sent = lanes.flatMap(ingests).flatMap((request) => request.events);
  t.equal(sent.length, events.length);
  t.strictSame(new Set(sent), new Set(events));
  t.ok(sent.every((event) => outcomes.has(event)));
  t.equal(outcomes.size, events.length);
});

t.test("plan - the events of a transaction stay in one lane and in their order", async (t) => {
  const placeOf = new Map(events.map((event, place) => [event, place]));
  const laneOf = new Map<string, number>();
  let crossed = 0;
  let overtaken = 0;
  for (const [number, lane] of lanes.entries()) {
    const last = new Map<string, number>();
    for (const event of ingests(lane).flatMap((request) => request.events)) {
      const id = event.external_id;
      if ((laneOf.get(id) ?? number) !== number) crossed++;
      laneOf.set(id, number);
      const place = placeOf.get(event) as number;
      if ((last.get(id) ?? -1) > place) overtaken++;
      last.set(id, place);
    }
  }
  t.strictSame({ crossed, overtaken }, { crossed: 0, overtaken: 0 });
});

t.test("plan - sizes are mixed, up to 500 events", async (t) => {
  const sizes = lanes.flatMap(ingests).map((request) => request.events.length);
  t.ok(sizes.every((size) => size >= 1 && size <= 500));
  t.ok(sizes.filter((size) => size === 1).length > 5);
  t.ok(sizes.filter((size) => size > 200).length > 5);
});

t.test("plan - refused events travel in small requests, some of them beside accepted ones", async (t) => {
  const refused = lanes.flatMap(ingests).filter((request) => request.events.some(isRefused));
  t.ok(refused.every((request) => request.events.length <= 4));
  t.ok(refused.some((request) => !request.events.every(isRefused)));
});

t.test("plan - a part of the requests asks for no outcome, and all malformed ones are sent", async (t) => {
  const all = lanes.flatMap(ingests);
  const share = all.filter((request) => request.respondAsync).length / all.length;
  t.ok(share > 0.15 && share < 0.35, String(share));
  t.equal(lanes.flat().length - all.length, 18);
});

t.test("plan - is the same every time", async (t) => {
  t.strictSame(planRequests(entries, outcomes, LANES), lanes);
});
