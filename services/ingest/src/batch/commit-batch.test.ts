import { randomUUID } from "node:crypto";
import t from "tap";
import { uuidv7 } from "uuidv7";
import { encodeId } from "#domain";
import { LostPartitions } from "#nats";
import { sweepReplayRejections } from "../cleanup/sweep-findings.ts";
import { takeOverPosition } from "../positions/ingest-position.ts";
import { setUp } from "./test-committer.ts";

t.test("commit - a small batch of new keys is written in one statement, without a look", async (t) => {
  const { commit, looks, counts, stored, position } = await setUp(t);
  t.strictSame(await commit([{ ref: "a" }, { ref: "b" }]), ["created", "created"]);
  t.strictSame(await commit([{ ref: "c" }]), ["created"]);
  t.equal(looks(), 0);
  t.strictSame(await stored(), ["a", "b", "c"]);
  t.equal(await position(), 2);
  t.equal(counts.contradicted, 0);
});

t.test("commit - a contradiction by an unknown member is counted, and the others are stored", async (t) => {
  const { commit, looks, counts, stored, position } = await setUp(t);
  const unknown = { ref: "b", member: randomUUID() };
  t.strictSame(await commit([{ ref: "a" }, unknown, { ref: "c" }]), ["created", "not_found", "created"]);
  t.equal(counts.contradicted, 1);
  t.strictSame(await stored(), ["a", "c"]);
  t.equal(await position(), 1);
  for (let batch = 0; batch < 100; batch++) {
    t.strictSame(await commit([{ ref: `d${batch}`, member: randomUUID() }]), ["not_found"]);
    // One look at the members, one at the stored transaction.
    if (looks() !== 2) t.fail("the next batches look first");
  }
  t.equal(counts.contradicted, 1, "and so contradict nothing");
  t.strictSame(await commit([{ ref: "e" }]), ["created"]);
  t.equal(looks(), 0, "a hundred of them");
});

t.test("commit - a key that is there after all is counted, and is updated or unchanged", async (t) => {
  const { commit, storeBeside, counts, stored, position } = await setUp(t);
  await commit([{ ref: "a" }]);
  await storeBeside([{ ref: "b" }, { ref: "c" }]);
  const cleared = { ref: "b", clearedAt: "2026-05-02T10:00:00Z" };
  t.strictSame(await commit([cleared, { ref: "c" }, { ref: "d" }]), ["updated", "unchanged", "created"]);
  t.equal(counts.contradicted, 1);
  t.strictSame(await commit([cleared, { ref: "d" }]), ["unchanged", "unchanged"]);
  t.equal(counts.contradicted, 1, "they are known now");
  t.strictSame(await stored(), ["a", "b", "c", "d"]);
  t.equal(await position(), 3);
});

t.test(
  "commit - an event that names an unknown member is rejected, even if its neighbours succeed",
  async (t) => {
    const { commit, counts } = await setUp(t);
    const unknown = { ref: "a", member: randomUUID() };
    t.strictSame(await commit([unknown, { ref: "a" }]), ["not_found", "created"]);
    t.strictSame(await commit([unknown, { ref: "a" }]), ["identity_mismatch", "unchanged"], "it is stored");
    t.equal(counts.contradicted, 0);
  },
);

t.test("commit - a fenced owner loses its partition and writes nothing", async (t) => {
  const { store, commit, counts, stored, position } = await setUp(t);
  await commit([{ ref: "a" }]);
  await takeOverPosition(store, 0);
  await t.rejects(commit([{ ref: "b" }]), LostPartitions);
  const many = Array.from({ length: 80 }, (_, n) => ({ ref: `many ${n}` }));
  await t.rejects(commit(many), LostPartitions, "by the transaction too");
  t.strictSame(await stored(), ["a"]);
  t.equal(await position(), 1);
  t.equal(counts.contradicted, 1);
});

t.test("commit - a batch whose partition was lost is not tried", async (t) => {
  const { toMessage, commitAll, counts, stored } = await setUp(t);
  const foreign = { ...toMessage([{ ref: "a" }], true, uuidv7()), partition: 7 };
  await t.rejects(commitAll(foreign), LostPartitions);
  t.strictSame(await stored(), []);
  t.equal(counts.contradicted, 0);
});

t.test("commit - if the caller does not wait, webhooks report the rejections", async (t) => {
  const { store, toMessage, commitAll, counts, stored, position } = await setUp(t);
  const [awaited, late] = [uuidv7(), uuidv7()];
  const unknown = { ref: "c", member: randomUUID() };
  const applied = await commitAll(
    toMessage([{ ref: "a" }], true, awaited),
    toMessage([{ ref: "b" }, unknown], false, late),
  );
  t.strictSame(
    applied.outcomes.map((one) => one?.kind),
    ["created", "created", "rejected"],
  );
  const told = await store<{ body: string }[]>`select body from events`;
  t.match(
    told.map(({ body }) => JSON.parse(body)),
    [{ type: "transaction.rejected", transaction_ref: "c", batch_id: encodeId("batch", late) }],
  );
  t.equal(counts.contradicted, 1, "the member was taken to be there");
  t.strictSame(await stored(), ["a", "b"]);
  t.equal(await position(), 2);
});

t.test("commit - unreadable messages move the position, alone and together with others", async (t) => {
  const { toMessage, commitAll, stored, position } = await setUp(t);
  const unreadable = () => ({ ...toMessage([], true, uuidv7()), data: Buffer.from("{") });
  await commitAll(unreadable());
  t.equal(await position(), 1);
  await commitAll(unreadable(), toMessage([{ ref: "a" }], true, uuidv7()));
  t.equal(await position(), 3);
  t.strictSame(await stored(), ["a"]);
});

t.test("regression - a key that is too long for an index failed its batch for ever", async (t) => {
  const { toMessage, commitAll, stored, position } = await setUp(t);
  const ref = Array.from({ length: 500 }, () => uuidv7()).join("");
  for (const member of [undefined, randomUUID()]) {
    const long = toMessage([{ ref, ...(member !== undefined && { member }) }], true, uuidv7());
    await commitAll(long, toMessage([{ ref: "a" }], true, uuidv7()));
  }
  t.equal(await position(), 4);
  t.strictSame(await stored(), ["a"], "its message is dead");
});

t.test("commit - the rejections of a batch are kept, whichever way it is committed", async (t) => {
  const { commit, commitAll, toMessage, rejected, counts, position } = await setUp(t);
  const unknown = (ref: string) => ({ ref, member: randomUUID() });
  await commit([{ ref: "a", clearedAt: "2026-05-02T10:00:00Z" }]);
  // A contradiction: the database refuses the one statement, and a transaction looks everything up.
  await commit([unknown("b"), { ref: "c" }]);
  t.equal(counts.contradicted, 1);
  t.strictSame(await rejected(), ["b"], "once");
  // With `writeAtOnce`.
  await commit([{ ref: "d" }, unknown("e"), unknown("f")]);
  t.equal(counts.contradicted, 1);
  t.strictSame(await rejected(), ["b", "e", "f"]);
  // In bulk, with callers who wait and callers who do not.
  await commit([unknown("g"), { ref: "h" }], false);
  const many = Array.from({ length: 80 }, (_, n) => ({ ref: `many ${n}` }));
  await commitAll(toMessage([...many, unknown("i")], true, uuidv7()));
  t.strictSame(await rejected(), ["b", "e", "f", "g", "i"]);
  t.equal(await position(), 5);
});

t.test("commit - a batch without rejections sends no query about them", async (t) => {
  const { commit, statements } = await setUp(t);
  const plans = () => statements.filter((plan) => plan.includes("transaction_rejections"));
  for (const awaited of [true, false]) {
    await commit([{ ref: `a ${awaited}` }, { ref: `b ${awaited}` }], awaited);
    t.strictSame(plans(), []);
    await commit([{ ref: `c ${awaited}`, member: randomUUID() }], awaited);
    t.equal(plans().length, 1, "and otherwise one statement is enough");
  }
});

t.test("commit - a fenced owner keeps no rejection", async (t) => {
  const { store, commit, rejected } = await setUp(t);
  await commit([{ ref: "a" }, { ref: "b", member: randomUUID() }]);
  await takeOverPosition(store, 0);
  for (const awaited of [true, false]) {
    await t.rejects(commit([{ ref: "c", member: randomUUID() }], awaited), LostPartitions);
  }
  t.strictSame(await rejected(), ["b"]);
});

t.test(
  "commit - ignored fields are kept like rejections, whichever way the batch is committed",
  async (t) => {
    const { store, commit, commitAll, toMessage } = await setUp(t);
    await commit([{ ref: "a", clearedAt: "2026-05-02T10:00:00Z" }]);
    const changed = { ref: "a", clearedAt: "2026-05-03T10:00:00Z" };
    const kept = async (batch: string) =>
      await store`select external_id, event_index, fields from ignored_fields where batch_id = ${batch} order by id`;
    const wanted = (index: number) => [{ external_id: "a", event_index: index, fields: ["cleared_at"] }];
    for (const awaited of [true, false]) {
      const batch = uuidv7();
      await commit([{ ref: `b ${awaited}` }, changed, { ref: "c", member: randomUUID() }], awaited, batch);
      t.match(await kept(batch), wanted(1));
    }
    const batch = uuidv7();
    const many = Array.from({ length: 80 }, (_, n) => ({ ref: `many ${n}` }));
    await commitAll(toMessage([...many, changed], true, batch));
    t.match(await kept(batch), wanted(80));
  },
);

t.test(
  "commit - after a restore, events of unknown members in messages that are read again are kept",
  async (t) => {
    const now = Date.now();
    const { store, commit, rejected } = await setUp(t, { held: 3, sinceMs: now });
    const kept = async () => {
      const rows = await store<{ ref: string; event: string }[]>`
        select external_id as ref, event from replay_rejections order by place`;
      return rows.map(({ ref }) => ref);
    };
    const [lost, deleted, older] = [idAt(now), idAt(now), idAt(now - 2 * 3_600_000)];
    await store`insert into deleted_members (member_id) values (${deleted})`;
    t.strictSame(
      await commit([
        { ref: "a" },
        { ref: "b", member: lost },
        { ref: "b", member: lost, clearedAt: "2026-05-02T10:00:00Z" },
        { ref: "c", member: deleted },
        { ref: "d", member: older },
      ]),
      ["created", "member_not_restored", "member_not_restored", "not_found", "not_found"],
      "in a small batch",
    );
    t.strictSame(await kept(), ["b", "b"], "in their order, one deleted and one of before not");
    const many = Array.from({ length: 80 }, (_, n) => ({ ref: `many ${n}` }));
    const outcomes = await commit([...many, { ref: "e", member: lost }], false);
    t.equal(outcomes.at(-1), "member_not_restored", "in a large one");
    t.match(await store`select body from events`, [{ body: /"reason":"member_not_restored"/ }]);
    t.strictSame(await rejected(), ["b", "b", "c", "d", "e"], "next to the rejections");
    const [event] = await store<
      { event: string }[]
    >`select event from replay_rejections where external_id = 'e'`;
    t.match(JSON.parse(event?.event ?? ""), {
      memberId: lost,
      externalId: "e",
      identifier6: /^[0-9a-f]{64}$/,
    });

    t.strictSame(await commit([{ ref: "f", member: lost }]), ["member_not_restored"]);
    t.strictSame(
      await commit([{ ref: "g", member: lost }]),
      ["not_found"],
      "newer messages are answered as usual",
    );
    t.strictSame(await kept(), ["b", "b", "e", "f"]);

    t.equal(await sweepReplayRejections(store, 3_600_000), 0);
    t.strictSame(await kept(), ["b", "b", "e", "f"]);
    await sweepReplayRejections(store, -1000);
    t.strictSame(await kept(), [], "and go with time");
  },
);

/** A UUIDv7 of that time, in milliseconds since 1970. */
function idAt(ms: number): string {
  const hex = ms.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}${uuidv7().slice(13)}`;
}
