import t from "tap";
import { uuidv7 } from "uuidv7";
import { LIMITS } from "#contract";
import { encodeId, SeededRandom } from "#domain";
import { BatchIds } from "./batch-ids.ts";
import { type BatchPlaces, type Place, packPlaces, toBatchPlaces, unpackPlaces } from "./batch-places.ts";

const KEY = new Uint8Array(32).fill(7);
const [MINE, THEIRS] = [uuidv7(), uuidv7()] as const;

const place = (partition: number, sequence: number): Place => ({
  partition,
  sequence,
  streamCreated: `2026-05-01T10:00:00.${String(partition).padStart(3, "0")}456789Z`,
});

function give(places: readonly Place[], events = 3) {
  let now = new Date();
  const ids = new BatchIds(KEY, () => now);
  const batch = ids.create();
  const id = ids.seal(batch, MINE, toBatchPlaces(events, places));
  const after = (ms: number) => {
    now = new Date(now.getTime() + ms);
  };
  return { ids, batch, id, after };
}

t.test("batch ids - an id says where the batch lies, whichever part was stored first", async (t) => {
  const places = [place(5, 80), place(0, 12), place(3, 12)];
  const { ids, batch, id } = give(places);
  t.match(id, /^batch_[0-9a-z]{26}\.[\w-]+$/);
  t.ok(id.startsWith(`${encodeId("batch", batch)}.`), "events and rejections name it by its beginning");
  t.match(ids.open(id, MINE), {
    batch,
    places: {
      events: 3,
      newest: Date.parse("2026-05-01T10:00:00.005Z"),
      places: [
        { partition: 0, sequence: 12 },
        { partition: 3, sequence: 12 },
        { partition: 5, sequence: 80 },
      ],
    },
  });
});

t.test(
  "batch ids - another organisation's, an altered, a cut, a foreign and an old one are not known",
  async (t) => {
    const { ids, batch, id, after } = give([place(0, 1), place(1, 2_000)]);
    t.equal(ids.open(id, THEIRS), undefined);
    for (let at = 0; at < id.length; at++) {
      const other = id[at] === "a" ? "b" : "a";
      t.equal(ids.open(id.slice(0, at) + other + id.slice(at + 1), MINE), undefined, `altered at ${at}`);
      t.equal(ids.open(id.slice(0, at), MINE), undefined, `cut at ${at}`);
    }
    for (const text of [
      `${id}=`,
      `${id} `,
      `${id}.a`,
      encodeId("batch", batch),
      encodeId("batch", uuidv7()),
      "batch_",
      "",
      ".",
    ]) {
      t.equal(ids.open(text, MINE), undefined, JSON.stringify(text));
    }
    const [, sealed] = id.split(".");
    t.equal(
      ids.open(`${encodeId("batch", uuidv7())}.${sealed}`, MINE),
      undefined,
      "the places of another batch",
    );
    const other = new BatchIds(new Uint8Array(32), () => new Date());
    t.equal(other.open(id, MINE), undefined, "another installation's");
    t.not(
      ids.seal(batch, MINE, toBatchPlaces(3, [place(0, 1), place(1, 2_000)])),
      id,
      "nothing can be told from equal ones",
    );
    after(LIMITS.batchKeptMs - 1_000);
    t.ok(ids.open(id, MINE));
    after(1_000);
    t.equal(ids.open(id, MINE), undefined, "seven days");
  },
);

t.test(
  "batch ids - of any number of partitions, however far apart, they are at most 1,000 characters long",
  async (t) => {
    const random = new SeededRandom(1);
    for (const count of [1, 2, 7, 8, 64, 200, 256]) {
      for (const most of [1, 1_000, 2 ** 20, 2 ** 33, 2 ** 47]) {
        const places = Array.from({ length: count }, (_, partition) =>
          place(partition, random.between(1, most)),
        );
        const { ids, id } = give(places, 5_000);
        t.ok(id.length <= LIMITS.batchIdLength, `${count} up to ${most}: ${id.length}`);
        const opened = ids.open(id, MINE)?.places as BatchPlaces;
        t.equal(opened.events, 5_000);
        t.equal(opened.places.length, count);
        const isExact = count <= 64 || most <= 2 ** 18;
        for (const [i, { partition, sequence }] of opened.places.entries()) {
          const wanted = places[i] as Place;
          if (partition !== wanted.partition) t.fail(`partition ${partition}`);
          if (isExact && sequence !== wanted.sequence) t.fail(`${sequence}, not ${wanted.sequence}`);
          if (sequence < wanted.sequence) t.fail("it would be processed too early");
        }
      }
    }
  },
);

t.test("batch places - unpacking returns the packed places", async (t) => {
  const some = toBatchPlaces(1, [place(9, 2 ** 40), place(200, 2 ** 40 + 1)]);
  const { places, ...rest } = unpackPlaces(Buffer.from(packPlaces(some)));
  t.match(rest, { events: some.events, newest: some.newest, streams: some.streams });
  t.match(places, [
    { partition: 9, sequence: 2 ** 40 },
    { partition: 200, sequence: 2 ** 40 + 1 },
  ]);
});
