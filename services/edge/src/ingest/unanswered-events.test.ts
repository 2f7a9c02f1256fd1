import t from "tap";
import { LIMITS } from "#contract";
import { UnansweredEvents } from "./unanswered-events.ts";

const FULL_REQUEST = LIMITS.eventsPerRequest;

/** Sends requests of this size until one is refused; returns the number of events accepted. */
function fill(room: UnansweredEvents, organisation: string, events: number): number {
  let taken = 0;
  while (room.refuse(organisation, events) === undefined) {
    room.add(organisation, events);
    taken += events;
  }
  return taken;
}

t.test("unanswered - one organisation gets three quarters of the room, and no more", async (t) => {
  const room = new UnansweredEvents();
  t.equal(fill(room, "loud", 1), (LIMITS.unansweredEvents * 3) / 4);
  t.equal(room.refuse("loud", 1), "organisation_share");
  t.equal(room.refuse("loud", FULL_REQUEST), "organisation_share");
});

t.test(
  "unanswered - next to a loud organisation, a quiet one's requests find room, small or full",
  async (t) => {
    const room = new UnansweredEvents();
    t.equal(fill(room, "loud", FULL_REQUEST), 4 * FULL_REQUEST);
    t.equal(room.refuse("quiet", 1), undefined);
    t.equal(room.refuse("quiet", FULL_REQUEST), undefined);
  },
);

t.test("unanswered - two that send all they can come to equal shares", async (t) => {
  const room = new UnansweredEvents();
  const taken = { first: fill(room, "first", 100), second: 0 };
  // The requests of the first one are answered, and both send again immediately.
  for (let round = 0; round < 1000; round++) {
    if (taken.first > 0) {
      room.remove("first", 100);
      taken.first -= 100;
    }
    for (const name of ["second", "first"] as const) {
      if (room.refuse(name, 100) !== undefined) continue;
      room.add(name, 100);
      taken[name] += 100;
    }
  }
  t.ok(Math.abs(taken.first - taken.second) <= 200, JSON.stringify(taken));
  t.ok(room.total <= LIMITS.unansweredEvents);
});

t.test("unanswered - many loud ones leave room for a full request, and then for small ones", async (t) => {
  const room = new UnansweredEvents();
  for (let n = 0; n < 100; n++) fill(room, `loud ${n}`, 101);
  t.ok(room.total >= LIMITS.unansweredEvents, "they have all that is shared");
  const isRoomy = new UnansweredEvents();
  isRoomy.add("others", LIMITS.unansweredEvents);
  t.equal(isRoomy.refuse("first", FULL_REQUEST), undefined, "a first request, though no share is that large");
  isRoomy.add("first", FULL_REQUEST);
  t.equal(isRoomy.refuse("next", LIMITS.smallRequestEvents + 1), "too_many_unanswered");
  t.equal(isRoomy.refuse("next", LIMITS.smallRequestEvents), undefined);
  t.equal(
    isRoomy.refuse("others", 1),
    "too_many_unanswered",
    "organisations with many events get none of it",
  );
});

t.test("unanswered - the room for small requests has an end, and then the room is full", async (t) => {
  const room = new UnansweredEvents();
  room.add("others", LIMITS.unansweredEvents + FULL_REQUEST);
  t.equal(fill(room, "one", 100), LIMITS.smallUnansweredEvents);
  t.notOk(room.isFull);
  t.equal(fill(room, "two", 100), LIMITS.unansweredSmallEvents - LIMITS.smallUnansweredEvents);
  t.ok(room.isFull);
  t.equal(room.refuse("three", 1), "too_many_unanswered");
});

t.test("unanswered - an answer frees its room, to the last event", async (t) => {
  const room = new UnansweredEvents();
  const taken = fill(room, "loud", 10);
  for (let left = taken; left > 0; left -= 10) room.remove("loud", 10);
  t.equal(room.total, 0);
  t.equal(fill(room, "loud", 10), taken);
});
