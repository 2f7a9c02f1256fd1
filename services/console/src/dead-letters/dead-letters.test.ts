import { randomUUID } from "node:crypto";
import t, { type Test } from "tap";
import { FLOW } from "#contract";
import type { DeadLetter } from "#contract/ingest";
import { bury, connectStream, ensureTopology, type Stream } from "#nats";
import { readDeadLetters } from "#nats/dead-letters";
import { createLog } from "#runtime";
import { isolation, testServers } from "#test-support";
import { applyToLetters, LETTERS_PER_CHANGE } from "./change-letters.ts";
import type { LetterPage } from "./dead-letter-routes.ts";
import { groupLetters, LETTERS_PER_PAGE, listLetters, showLetter } from "./read-letters.ts";
import { nextSequence, poison } from "./test-letters.ts";

const TOPOLOGY = { partitions: 2, maxBytes: 8 * 1024 * 1024, linkMaxBytes: 8 * 1024 * 1024 };
const MINE = { organisationId: randomUUID() };
const OTHERS = { organisationId: randomUUID() };
const LAST = { cursor: null };
const POISON = { stream: FLOW.ingest.stream, reason: "poison_event" };

async function setUp(t: Test): Promise<Stream> {
  const { natsUrl } = await testServers();
  const log = createLog({ service: "test", level: "silent" });
  const stream = await connectStream({ url: natsUrl, name: "test", prefix: isolation(), log });
  t.teardown(() => stream.close());
  await ensureTopology(stream, TOPOLOGY);
  return stream;
}

/** From another system, and without an organisation. */
function outcome(): DeadLetter {
  const sequence = nextSequence();
  return { reason: "invalid_outcome", hop: "OUTCOMES", partition: 1, sequence, outcome: { outcome_id: "x" } };
}

/** A letter without its content. */
function unreadable(): DeadLetter {
  const sequence = nextSequence();
  return { reason: "unreadable_message", hop: FLOW.ingest.stream, partition: 0, sequence };
}

async function left(stream: Stream): Promise<number[]> {
  const sequences: number[] = [];
  for await (const stored of readDeadLetters(stream)) sequences.push(stored.sequence);
  return sequences;
}

t.test(
  "dead letters - a user sees the letters of one organisation, and those without an organisation",
  async (t) => {
    const stream = await setUp(t);
    for (const letter of [
      poison(MINE.organisationId),
      poison(OTHERS.organisationId),
      outcome(),
      unreadable(),
    ]) {
      await bury(stream, letter);
    }
    const { groups, through, more } = await groupLetters(stream, MINE);
    t.match({ through, more }, { through: 4, more: false });
    t.strictSame(
      groups.map(({ stream, reason, count, errors }) => [stream, reason, count, errors]),
      [
        ["INGEST", "poison_event", 1, { 23514: 1 }],
        ["INGEST", "unreadable_message", 1, {}],
        ["OUTCOMES", "invalid_outcome", 1, {}],
      ],
    );
    t.match(await listLetters(stream, MINE, POISON, 0), { data: [{ sequence: 1 }], page: LAST });
    t.match(await listLetters(stream, OTHERS, POISON, 0), { data: [{ sequence: 2 }], page: LAST });
    t.equal(await showLetter(stream, MINE, 2), undefined, "not even by its number");
    t.equal(await showLetter(stream, MINE, 99), undefined);
  },
);

t.test(
  "dead letters - a letter is shown in the API's form, without card data or a whole identifier",
  async (t) => {
    const stream = await setUp(t);
    await bury(stream, poison(MINE.organisationId));
    const shown = await showLetter(stream, MINE, 1);
    t.match(shown, {
      sequence: 1,
      can_be_redriven: true,
      event: {
        external_id: /^order-/,
        statement_descriptor: "card **** **** **** 1111",
        identifiers: ["abababab…"],
      },
    });
    t.notMatch(JSON.stringify(shown), /(ab){5}/);
  },
);

t.test(
  "dead letters - a change applies to the named letters, and not to those of another organisation",
  async (t) => {
    const stream = await setUp(t);
    for (const letter of [poison(MINE.organisationId), poison(OTHERS.organisationId), unreadable()]) {
      await bury(stream, letter);
    }
    const named = { sequences: [3, 2, 1, 99] };
    t.match(await applyToLetters(stream, MINE, named, "redrive"), { done: 1, impossible: 1, cursor: null });
    t.strictSame(await left(stream), [2, 3]);
    const all = { ...POISON, after: 0, through: 99 };
    t.match(await applyToLetters(stream, MINE, all, "discard"), { done: 0, impossible: 0 });
    t.match(await applyToLetters(stream, OTHERS, all, "discard"), { done: 1, impossible: 0 });
    t.strictSame(await left(stream), [3]);
  },
);

t.test("dead letters - a group ends where it was counted: later letters are not included", async (t) => {
  const stream = await setUp(t);
  await bury(stream, poison(MINE.organisationId));
  const { through } = await groupLetters(stream, MINE);
  await bury(stream, poison(MINE.organisationId));
  const choice = { ...POISON, after: 0, through };
  t.match(await applyToLetters(stream, MINE, choice, "discard"), { done: 1, cursor: null });
  t.strictSame(await left(stream), [2]);
});

t.test("dead letters - thousands are listed and changed in steps, each of them once", async (t) => {
  const stream = await setUp(t);
  const count = LETTERS_PER_CHANGE + 2 * LETTERS_PER_PAGE;
  // With letters of another organisation in between, which fill no page and no step.
  const letters = Array.from({ length: count }, (_, i) =>
    poison(i % 10 === 3 ? OTHERS.organisationId : MINE.organisationId),
  );
  for (const letter of letters) await bury(stream, letter);
  const mine = letters.flatMap((letter, i) =>
    letter.row?.organisationId === MINE.organisationId ? [i + 1] : [],
  );
  const listed: number[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const { data, page }: LetterPage = await listLetters(stream, MINE, POISON, after);
    t.ok(data.length <= LETTERS_PER_PAGE);
    listed.push(...data.map(({ sequence }) => sequence));
    after = page.cursor === null ? null : Number(page.cursor);
  }
  t.strictSame(listed, mine);
  const steps: number[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const step = await applyToLetters(stream, MINE, { ...POISON, after, through: count }, "discard");
    steps.push(step.done);
    after = step.cursor;
  }
  t.strictSame(steps, [LETTERS_PER_CHANGE, mine.length - LETTERS_PER_CHANGE]);
  t.equal((await left(stream)).length, count - mine.length);
});
