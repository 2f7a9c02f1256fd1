import { createHash, randomBytes } from "node:crypto";
import t from "tap";
import { uuidv7 } from "uuidv7";
import { testOrganisation, testStore, waitFor } from "#test-support";
import { createMemberbase, listMemberbases } from "../../../services/edge/src/members/memberbases.ts";
import type { Sql, Store } from "./connect.ts";
import { answerOnce, type KeyedRequest, type KeyedWork, sweepIdempotencyKeys } from "./idempotency-keys.ts";

const DAY_MS = 86_400_000;

let store: Store;
let organisationId: string;

t.before(async () => {
  store = await testStore(12);
});
t.beforeEach(async () => {
  organisationId = await testOrganisation(store);
});

class Refused extends Error {}

function keyed(key: string, changes: Partial<KeyedRequest> = {}): KeyedRequest {
  return { organisationId, route: "member-base/create", key, requestHash: hash("body"), ...changes };
}

function hash(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}

/** Work with a text as its result; a `Refused` is remembered. */
function doing(run: (sql: Sql) => Promise<string>): KeyedWork<string> {
  return {
    run,
    readRefusal: (error) => (error instanceof Refused ? `refused: ${error.message}` : undefined),
    keep: (text) => ({ status: 200, keyId: null, bytes: Buffer.from(text) }),
  };
}

/** Makes a memberbase of that name in the organisation, and returns its id. */
const create = (name: string) => async (sql: Sql) =>
  (await createMemberbase(sql, { id: uuidv7(), organisationId, name })).id;

async function created(): Promise<string[]> {
  const { records } = await listMemberbases(store, organisationId, { limit: 100 });
  return records.map(({ name }) => name);
}

const never = doing(() => {
  throw new Error("done a second time");
});

/** The text of an answer, whether the first or a repeated one. */
async function answer(request: KeyedRequest, work: KeyedWork<string>): Promise<string> {
  const result = await answerOnce(store, request, DAY_MS, work);
  if (result.kind === "first") return result.outcome;
  return result.kind === "again" ? Buffer.from(result.answer.bytes).toString() : result.kind;
}

t.test("key - the same request again gets the first answer, and nothing is done", async (t) => {
  const first = await answer(keyed("k"), doing(create("one")));
  t.equal(await answer(keyed("k"), never), first);
  t.strictSame(await created(), ["one"]);
});

t.test("key - status, sealing key and bytes come back as they were kept", async (t) => {
  const kept = { status: 404, keyId: "k7", bytes: randomBytes(300) };
  await answerOnce(store, keyed("k"), DAY_MS, { ...doing(async () => ""), keep: () => kept });
  t.strictSame(await answerOnce(store, keyed("k"), DAY_MS, never), { kind: "again", answer: kept });
});

t.test("key - another request with the same key is refused, and does nothing", async (t) => {
  await answer(keyed("k"), doing(create("one")));
  t.equal(await answer(keyed("k", { requestHash: hash("other") }), never), "reused");
});

t.test("key - it belongs to its organisation and its route, and to its exact characters", async (t) => {
  const other = await testOrganisation(store);
  const requests = [
    keyed("k"),
    keyed("k", { organisationId: other }),
    keyed("k", { route: "api-token/create" }),
    keyed("K"),
    keyed("k "),
  ];
  for (const [i, request] of requests.entries()) {
    t.equal(
      await answer(
        request,
        doing(async () => `answer ${i}`),
      ),
      `answer ${i}`,
    );
  }
  for (const [i, request] of requests.entries()) t.equal(await answer(request, never), `answer ${i}`);
});

t.test(
  "key - of 40 concurrent equal requests one does the work; the others get its answer or have to wait",
  async (t) => {
    for (let round = 0; round < 3; round++) {
      const request = keyed(`k${round}`);
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, i) => answer(request, doing(create(`round ${round}, ${i}`)))),
      );
      const ids = new Set(answers.filter((text) => text !== "in_progress"));
      t.equal(ids.size, 1, "one id");
      t.equal((await created()).length, round + 1, "one memberbase");
      t.equal(await answer(request, never), [...ids][0]);
    }
  },
);

t.test("key - a request that comes while the first is under way is not kept waiting", async (t) => {
  const during = await answer(
    keyed("k"),
    doing(async (sql) => {
      const id = await create("one")(sql);
      t.equal(await answer(keyed("k"), never), "in_progress");
      t.equal(
        await answer(
          keyed("other"),
          doing(async () => "free"),
        ),
        "free",
      );
      return id;
    }),
  );
  t.equal(await answer(keyed("k"), never), during);
});

t.test("key - a refusal is remembered, and the work before it is undone", async (t) => {
  const refusing = doing(async (sql) => {
    await create("half")(sql);
    throw new Refused("already there");
  });
  t.equal(await answer(keyed("k"), refusing), "refused: already there");
  t.strictSame(await created(), []);
  t.equal(await answer(keyed("k"), never), "refused: already there");
});

t.test("key - a refusal after a statement that failed is remembered too", async (t) => {
  const id = uuidv7();
  await createMemberbase(store, { id, organisationId, name: "there" });
  const refusing = doing(async (sql) => {
    await createMemberbase(sql, { id, organisationId, name: "again" }).catch(() => {
      throw new Refused("already there");
    });
    return "made";
  });
  t.equal(await answer(keyed("k"), refusing), "refused: already there");
  t.equal(await answer(keyed("k"), never), "refused: already there");
});

t.test("key - any other error leaves nothing, and the key free", async (t) => {
  const failing = doing(async (sql) => {
    await create("half")(sql);
    throw new Error("no disk");
  });
  await t.rejects(answer(keyed("k"), failing), { message: "no disk" });
  t.strictSame(await created(), []);
  await answer(keyed("k"), doing(create("whole")));
  t.strictSame(await created(), ["whole"]);
});

t.test("key - a connection killed inside the transaction: the retry does it, once", async (t) => {
  const dying = doing(async (sql) => {
    const id = await create("lost")(sql);
    const [{ pid }] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
    await store`select pg_terminate_backend(${pid}::int)`;
    return id;
  });
  await t.rejects(answer(keyed("k"), dying));
  // The lock ends with its session, a moment after the session was told to end.
  const retried = await waitFor(
    async () => {
      const text = await answer(keyed("k"), doing(create("kept")));
      return text !== "in_progress" && text;
    },
    { message: "the lock is let go" },
  );
  t.strictSame(await created(), ["kept"]);
  t.equal(await answer(keyed("k"), never), retried);
});

t.test("key - after its time it is as if it had not been used, swept or not", async (t) => {
  const age = (interval: string) =>
    store`update idempotency_keys set created_at = now() - ${interval}::text::interval
          where organisation_id = ${organisationId}`;
  await answer(
    keyed("k"),
    doing(async () => "first"),
  );
  await age("23 hours 59 minutes");
  t.equal(await answer(keyed("k"), never), "first");
  await age("24 hours");
  const later = keyed("k", { requestHash: hash("other") });
  t.equal(
    await answer(
      later,
      doing(async () => "second"),
    ),
    "second",
  );
  t.equal(await answer(later, never), "second");
});

t.test("sweep - deletes the old in steps, and nothing else", async (t) => {
  await store`truncate idempotency_keys`;
  await store`
    insert into idempotency_keys (organisation_id, route, key, request_hash, status, answer, created_at)
    select ${organisationId}, 'r', i::text, sha256(''), 200, '',
      now() - case when i <= 1500 then interval '25 hours' else interval '23 hours' end
    from generate_series(1, 1700) as i`;
  const steps: number[] = [];
  do steps.push(await sweepIdempotencyKeys(store, DAY_MS));
  while (steps.at(-1) !== 0);
  t.strictSame(steps, [1000, 500, 0]);
  const [left] = await store`select count(*)::int as rows, min(key::int) as oldest from idempotency_keys`;
  t.strictSame(left, { rows: 200, oldest: 1501 });
});

t.test("sweep - an old row that is being replaced stays out of its way", async (t) => {
  await store`truncate idempotency_keys`;
  await answer(
    keyed("k"),
    doing(async () => "first"),
  );
  await store`update idempotency_keys set created_at = now() - interval '25 hours'`;
  await store.begin(async (sql) => {
    await sql`select from idempotency_keys for update`;
    t.equal(await sweepIdempotencyKeys(store, DAY_MS), 0);
    await sql`update idempotency_keys set created_at = now()`;
  });
  t.equal(await sweepIdempotencyKeys(store, DAY_MS), 0);
  t.equal(await answer(keyed("k"), never), "first");
});
