import { SeededRandom } from "#domain";
import { type Sample, type SampleEntry, sampleRefs } from "./sample.ts";
import { EVENTS_PER_MALFORMED_REQUEST, MALFORMED_REQUESTS, makeMalformed } from "./sample-malformed.ts";
import { makeTransaction, type SentEvent, type World } from "./sample-transaction.ts";
import { makeCard, makeMerchants } from "./sample-world.ts";

/** Change any of these and the committed file has to be written anew: `write-sample.ts`. */
const SEED = 20260105;
const EVENTS = 10_000;
const MEMBERS = 1000;
const START = Date.UTC(2026, 0, 5, 6);
const STEP_MS = 190_000; // on average one authorization in so long: about two weeks in all

/** The sample of the demo: the same at every call, on every machine. */
export function generateSample(): Sample {
  const random = new SeededRandom(SEED);
  const refs = sampleRefs(MEMBERS);
  const world: World = {
    refs,
    cards: new Map(refs.map((ref) => [ref, makeCard(random)])),
    merchants: makeMerchants(random),
  };
  const wanted = EVENTS - MALFORMED_REQUESTS * EVENTS_PER_MALFORMED_REQUEST;
  const sent = makeEvents(random, world, wanted);
  // Stable, so that events of one transaction sent at one instant keep their order.
  sent.sort((a, b) => a.sentAt - b.sentAt);
  const entries: SampleEntry[] = sent.map(({ event }) => event);
  insertMalformed(random, world, sent, entries);
  return { refs, entries };
}

/** Lives of transactions, one after the other; the last is cut where the number is reached. */
function makeEvents(random: SeededRandom, world: World, wanted: number): SentEvent[] {
  const sent: SentEvent[] = [];
  for (let at = START; sent.length < wanted; at += 1000 * random.between(1, (2 * STEP_MS) / 1000)) {
    sent.push(...makeTransaction(random, world, at).slice(0, wanted - sent.length));
  }
  return sent;
}

/** Spreads the malformed requests evenly over the stream; from the back, so that the places stay right. */
function insertMalformed(
  random: SeededRandom,
  world: World,
  sent: readonly SentEvent[],
  entries: SampleEntry[],
): void {
  for (let number = MALFORMED_REQUESTS - 1; number >= 0; number--) {
    const place = Math.floor(((number + 0.5) / MALFORMED_REQUESTS) * sent.length);
    const at = (sent[place] as SentEvent).sentAt;
    const events = Array.from({ length: EVENTS_PER_MALFORMED_REQUEST }, (_, i) => {
      return (makeTransaction(random, world, at + 1000 * i)[0] as SentEvent).event;
    });
    entries.splice(place, 0, makeMalformed(number, events));
  }
}
