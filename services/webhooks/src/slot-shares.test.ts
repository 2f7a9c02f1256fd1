import t from "tap";
import { shareSlots } from "./slot-shares.ts";

/** Organisations take slots in turn, each as many as it may, until none may take another. */
function fill(slots: number, organisations: number): number[] {
  const held = new Map(Array.from({ length: organisations }, (_, n): [string, number] => [`${n}`, 0]));
  const free = () => slots - [...held.values()].reduce((sum, one) => sum + one, 0);
  for (let taken = true; taken; ) {
    taken = false;
    for (const [organisation, own] of held) {
      const { byOrganisation, others } = shareSlots(held, free(), slots);
      if ((byOrganisation.get(organisation) ?? others) === 0) continue;
      held.set(organisation, own + 1);
      taken = true;
    }
  }
  return [...held.values()].sort((a, b) => a - b);
}

t.test("shares - one organisation gets nearly all slots, several get equal parts", async (t) => {
  t.strictSame(fill(1, 1), [1]);
  t.strictSame(fill(2, 1), [2]);
  t.strictSame(fill(20, 1), [18]);
  t.strictSame(fill(1000, 1), [889]);
  t.strictSame(fill(1000, 2), [470, 471]);
});

t.test(
  "shares - with at least one slot for every two organisations, one that holds none gets one immediately",
  async (t) => {
    for (const slots of [3, 20, 100]) {
      for (let organisations = 1; organisations < slots / 2; organisations++) {
        const held = fill(slots, organisations);
        const free = slots - held.reduce((sum, one) => sum + one, 0);
        t.ok(free >= 1 && shareSlots(new Map(), free, slots).others >= 1, `${slots} ${organisations}`);
        t.ok((held.at(-1) ?? 0) - (held[0] ?? 0) <= 1);
      }
    }
  },
);

t.test("shares - one statement may lease as many as single ones together", async (t) => {
  for (let free = 1; free < 40; free++) {
    for (let own = 0; own < 40; own++) {
      let [held, left, taken] = [own, free, 0];
      const mayTake = () =>
        left > 0 && (shareSlots(new Map([["o", held]]), left, left + 1).byOrganisation.get("o") ?? 0) > 0;
      for (; mayTake(); held++, left--) taken++;
      t.equal(shareSlots(new Map([["o", own]]), free, 100).byOrganisation.get("o"), taken);
    }
  }
});

t.test(
  "shares - two statements at the same time give an organisation no more than one after the other",
  async (t) => {
    const wrong: string[] = [];
    for (let slots = 1; slots < 60; slots++) {
      for (let own = 0; own <= slots; own++) {
        for (let limit = 0; limit <= slots - own; limit++) {
          const [held, free] = [new Map([["o", own]]), slots - own];
          const shareOf = (...asked: Parameters<typeof shareSlots>) =>
            shareSlots(...asked).byOrganisation.get("o") ?? 0;
          const first = Math.min(limit, shareOf(held, free, slots + 1));
          const second = shareOf(held, free - limit, slots + 1, limit);
          if (first + second > shareOf(held, free, slots + 1)) wrong.push(`${slots} ${own} ${limit}`);
        }
      }
    }
    t.strictSame(wrong, []);
  },
);

t.test("shares - while two slots are free, an organisation that holds none gets one", async (t) => {
  const left = Array.from({ length: 500 }, (_, reserved) => shareSlots(new Map(), 2, 100, reserved).others);
  t.ok(left.every((others) => others >= 1));
});
