import { randomUUID } from "node:crypto";
import t from "tap";
import { DISPLAY_CONTENT, PlatformClient, startPipeline } from "#test-support";

t.setTimeout(400_000);

t.test("retailers", async (t) => {
  const pipeline = await startPipeline({ begin: [] });
  t.teardown(() => pipeline.stop());
  const platform = await pipeline.start("platform");
  const client = new PlatformClient(platform.url, await pipeline.newPlatformToken());
  const upsert = (fields: object, headers: Record<string, string> = {}) =>
    client.post("retailer/upsert", { name: "Shop", ...fields }, headers);
  const merchantIds = () => [`M-${randomUUID()}`];

  await t.test(
    "regression - the same retailer sent twice made a twin with its merchant id, and neither got a stamp",
    async (t) => {
      const merchant_ids = merchantIds();
      const { status, body } = await upsert({ merchant_ids });
      t.equal(status, 200);
      const twin = await upsert({ merchant_ids: [...merchantIds(), ` ${merchant_ids[0]?.toLowerCase()} `] });
      t.match(twin, {
        status: 409,
        body: { error: { code: "conflict", data: { reason: "merchant_id_taken", retailer_id: body.id } } },
      });
      t.equal((await upsert({ id: body.id, merchant_ids, name: "Other" })).status, 200, "it keeps its own");
      const other = (await upsert({ merchant_ids: merchantIds() })).body;
      t.equal(
        (await upsert({ id: other.id, merchant_ids })).status,
        409,
        "and another retailer may not take it",
      );
    },
  );

  await t.test("two share a merchant id if both have descriptors that tell them apart", async (t) => {
    const merchant_ids = merchantIds();
    const first = await upsert({ merchant_ids, statement_descriptors: ["COFFEE"] });
    t.equal(first.status, 200);
    t.equal((await upsert({ merchant_ids })).status, 409);
    t.equal((await upsert({ merchant_ids, statement_descriptors: ["coffee"] })).status, 409);
    t.equal((await upsert({ merchant_ids, statement_descriptors: ["TEA"] })).status, 200);
    const { id } = first.body;
    t.equal(
      (await upsert({ id, merchant_ids })).status,
      409,
      "the descriptors that tell them apart cannot be removed",
    );
  });

  await t.test("if many requests at once make a retailer with one merchant id, one succeeds", async (t) => {
    const merchant_ids = merchantIds();
    const answers = await Promise.all(Array.from({ length: 12 }, () => upsert({ merchant_ids })));
    t.equal(answers.filter(({ status }) => status === 200).length, 1);
    t.equal(answers.filter(({ status }) => status === 409).length, 11);
  });

  await t.test("a deleted retailer is gone with its token, and its merchant id is free", async (t) => {
    const merchant_ids = merchantIds();
    const { body } = await upsert({ merchant_ids });
    const { token, ...record } = body;
    const software = new PlatformClient(platform.url, token);
    const payments = [
      {
        payment_id: "1",
        identifiers: ["0".repeat(64)],
        amount: 1,
        currency: "EUR",
        paid_at: "2026-03-01T10:00:00Z",
      },
    ];
    t.equal((await software.post("payment/ingest", { payments })).status, 200);
    const deleted = await client.post("retailer/delete", { id: body.id });
    t.match(deleted, { status: 200, body: { ...record, deleted_at: /Z$/ } });
    t.equal((await software.post("payment/ingest", { payments })).status, 401);
    t.equal((await client.post("retailer/get", { id: body.id })).status, 404);
    t.equal((await client.post("retailer/delete", { id: body.id })).status, 404);
    t.equal((await upsert({ merchant_ids })).status, 200);
  });

  await t.test(
    "regression - a repeated upsert gave a retailer another token, and ended the token of a till",
    async (t) => {
      const headers = { "idempotency-key": randomUUID() };
      const fields = { merchant_ids: merchantIds() };
      const first = await upsert(fields, headers);
      const software = new PlatformClient(platform.url, first.body.token);
      for (let repetition = 0; repetition < 3; repetition++) {
        const again = await upsert({ ...fields }, headers);
        t.equal(again.status, 200);
        t.strictSame(again.body, first.body, "the first answer, with its token");
        t.match(await software.post("payment/ingest", { payments: [] }), { status: 400 }, "which counts");
      }
      t.match(await upsert({ ...fields, name: "Other" }, headers), {
        status: 409,
        body: { error: { data: { reason: "idempotency_key_reused" } } },
      });
    },
  );

  await t.test(
    "a kept token is sealed under the caller's token, and its row opens nowhere else",
    async (t) => {
      const key = randomUUID();
      const fields = { name: "Shop", merchant_ids: merchantIds() };
      const { body } = await upsert(fields, { "idempotency-key": key });
      const rows = await pipeline.store<{ keyId: string; text: string }[]>`
      select key_id as "keyId", encode(answer, 'escape') as text
      from platform.idempotency_keys where key = ${key}`;
      t.match(rows, [{ keyId: "caller" }]);
      t.notMatch(rows[0]?.text, body.token.slice(-20), "the database does not have it");
      const unreadable = { status: 409, body: { error: { data: { reason: "answer_unreadable" } } } };
      const other = new PlatformClient(platform.url, await pipeline.newPlatformToken());
      const ask = (who: PlatformClient, of: string) =>
        who.post("retailer/upsert", fields, { "idempotency-key": of });
      t.match(await ask(other, key), unreadable, "another token of the platform");
      await pipeline.store`
      insert into platform.idempotency_keys (organisation_id, status, route, key, request_hash, key_id, answer)
      select organisation_id, status, route, 'copied-' || key, request_hash, key_id, answer
      from platform.idempotency_keys where key = ${key}`;
      t.match(await ask(client, `copied-${key}`), unreadable, "a row that was copied to another key");
      await pipeline.store`
      update platform.idempotency_keys set key_id = null, answer = '{"id": "ret_1"}' where key = ${key}`;
      t.match(await ask(client, key), unreadable, "an answer that was kept without its token");
      const software = new PlatformClient(platform.url, body.token);
      t.match(
        await software.post("payment/ingest", { payments: [] }),
        { status: 400 },
        "none of these requests ended a token",
      );
    },
  );

  await t.test("with an idempotency key a program and a deal are made once too", async (t) => {
    const common = {
      name: "N",
      display_content: DISPLAY_CONTENT,
      rules: { merchant_ids: ["M-1"] },
    };
    for (const [route, fields] of [
      ["loyalty-program/upsert", { qualifying_threshold: 5, reward_config: { type: "refund" } }],
      ["deal/upsert", { reward_config: { type: "percent", percent: 5 } }],
    ] as const) {
      const headers = { "idempotency-key": randomUUID() };
      const body = { ...common, ...fields };
      const answers = await Promise.all(Array.from({ length: 4 }, () => client.post(route, body, headers)));
      answers.push(await client.post(route, body, headers));
      const made = answers.filter(({ status }) => status === 200);
      t.equal(new Set(made.map((answer) => answer.body.id)).size, 1, route);
      t.strictSame(made.at(-1)?.body, made[0]?.body);
    }
  });
});
