import { randomUUID } from "node:crypto";
import t, { type Test } from "tap";
import { PLATFORM_ROUTES } from "#contract/platform";
import { encodeId, isTokenSecret } from "#domain";
import { PlatformClient, type RawAnswer, type ServiceProcess, startPipeline } from "#test-support";

t.setTimeout(400_000);

const AT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const DISPLAY_CONTENT = {
  title: "Café 🎟",
  image: "https://example.com/image.png",
  summary: "Every fifth is free",
  description: "",
  terms: "None",
  reward: { formatted: "100 %" },
};
const RULES = { merchant_ids: ["M-1"] };
/** Merchant ids, one for each retailer: two cannot have the same one. */
const retailer = (changes: object = {}) => ({
  name: "Shop",
  merchant_ids: [`M-${randomUUID()}`],
  ...changes,
});
const program = (changes: object = {}) => ({
  name: "Coffee",
  qualifying_threshold: 5,
  reward_config: { type: "refund" },
  display_content: DISPLAY_CONTENT,
  rules: RULES,
  ...changes,
});
const deal = (changes: object = {}) => ({
  name: "Tea",
  reward_config: { type: "percent", percent: 12.5, max_amount: 500 },
  display_content: DISPLAY_CONTENT,
  rules: RULES,
  ...changes,
});
const payment = (changes: object = {}) => ({
  payment_id: randomUUID(),
  identifiers: ["0".repeat(64)],
  amount: 1250,
  currency: "EUR",
  paid_at: "2026-03-01T10:00:00Z",
  ...changes,
});

/** The three kinds of records behave alike; here are their differences. */
const KINDS = [
  ["loyalty-program", "lp", "loyalty_program", program],
  ["deal", "deal", "deal", deal],
  ["retailer", "ret", "retailer", retailer],
] as const;

async function startPlatform(t: Test) {
  const pipeline = await startPipeline({ begin: [] });
  t.teardown(() => pipeline.stop());
  const platform = await pipeline.start("platform");
  const token = await pipeline.newPlatformToken();
  return { pipeline, platform, token, client: new PlatformClient(platform.url, token) };
}

function issueOf({ status, body }: RawAnswer) {
  return { status, code: body.error?.code, path: body.error?.data?.issues?.[0]?.path };
}

t.test("platform API", async (t) => {
  const { pipeline, platform, token, client } = await startPlatform(t);

  await t.test("a program is made, read, replaced as a whole, and removed for good", async (t) => {
    const rules = {
      merchant_ids: ["M-1", "M-2"],
      statement_descriptor: "SHOP*",
      min_amount: 100,
      currency: "EUR",
      paid_after: "2026-01-01T00:00:00.123456+01:00",
      paid_before: "2026-02-01T00:00:00Z",
    };
    const made = await client.post("loyalty-program/upsert", program({ rules }));
    t.equal(made.status, 200);
    t.match(made.body, { id: /^lp_/, created_at: AT, updated_at: AT });
    const { id, created_at } = made.body;
    t.strictSame(made.body, {
      ...program(),
      rules: {
        ...rules,
        confirmation: "retailer",
        paid_after: "2025-12-31T23:00:00.123Z",
        paid_before: "2026-02-01T00:00:00.000Z",
      },
      id,
      created_at,
      updated_at: created_at,
    });
    t.strictSame((await client.post("loyalty-program/get", { id })).body, made.body);

    const other = program({
      id,
      reward_config: { type: "fixed-reward", amount: 500 },
      rules: { merchant_ids: ["M-3"], confirmation: "none" },
    });
    const replaced = await client.post("loyalty-program/upsert", other);
    t.match(replaced.body, { ...other, created_at });
    t.strictSame(Object.keys(replaced.body.rules).sort(), ["confirmation", "merchant_ids"]);

    const deleted = await client.post("loyalty-program/delete", { id });
    t.strictSame({ ...deleted.body, deleted_at: undefined }, { ...replaced.body, deleted_at: undefined });
    t.match(deleted.body.deleted_at, AT);
    for (const [route, body] of [
      ["get", { id }],
      ["delete", { id }],
      ["upsert", other],
    ] as const) {
      t.match(
        await client.post(`loyalty-program/${route}`, body),
        { status: 404, body: { error: { code: "not_found", data: { resource: "loyalty_program" } } } },
        route,
      );
    }
  });

  await t.test("a deal likewise; an upsert without a period removes the period", async (t) => {
    const period = { starts_at: "2026-03-01T12:00:00+18:00", ends_at: "2026-04-01T00:00:00.123456789Z" };
    const { body } = await client.post("deal/upsert", deal(period));
    t.match(body, {
      ...deal(),
      id: /^deal_/,
      starts_at: "2026-02-28T18:00:00.000Z",
      ends_at: "2026-04-01T00:00:00.123Z",
    });
    const fixed = deal({ id: body.id, reward_config: { type: "fixed", amount: 100, currency: "EUR" } });
    const replaced = await client.post("deal/upsert", fixed);
    t.match(replaced.body, fixed);
    t.notOk("starts_at" in replaced.body || "ends_at" in replaced.body);
    t.match((await client.post("deal/delete", { id: body.id })).body, { ...fixed, deleted_at: AT });
    t.equal((await client.post("deal/get", { id: body.id })).status, 404);
  });

  await t.test(
    "only the first answer has a retailer's token, which stays when the retailer is replaced",
    async (t) => {
      const made = await client.post("retailer/upsert", retailer({ statement_descriptors: ["SHOP*"] }));
      const { token: secret, ...record } = made.body;
      t.ok(isTokenSecret(secret));
      t.match(record, { id: /^ret_/, statement_descriptors: ["SHOP*"] });
      t.strictSame((await client.post("retailer/get", { id: record.id })).body, record);
      const replaced = await client.post("retailer/upsert", retailer({ id: record.id, name: "Other" }));
      t.match(replaced.body, { name: "Other", statement_descriptors: [], created_at: record.created_at });
      t.notOk("token" in replaced.body);
      const shop = new PlatformClient(platform.url, secret);
      t.strictSame((await shop.post("payment/ingest", { payments: [payment()] })).body, { accepted: 1 });
      const stored = await pipeline.store`select * from platform.retailers`;
      t.notMatch(JSON.stringify(stored), secret);
      t.notMatch(platform.output(), secret);
    },
  );

  await t.test("a record that does not exist is not found, with any form of id", async (t) => {
    for (const [resource, prefix, name, make] of KINDS) {
      const ids = [
        encodeId(prefix, randomUUID()),
        encodeId("tx", randomUUID()),
        "",
        "x".repeat(300),
        `${prefix}_0`,
      ];
      for (const id of ids) {
        const expected = { status: 404, body: { error: { data: { resource: name } } } };
        t.match(await client.post(`${resource}/get`, { id }), expected);
        t.match(await client.post(`${resource}/upsert`, make({ id })), expected);
        t.match(await client.post(`${resource}/delete`, { id }), expected);
      }
    }
  });

  await t.test("fields that contradict each other are refused, and the issue says where", async (t) => {
    const none = { ...RULES, confirmation: "none" };
    const refused: ReadonlyArray<[route: string, body: object, path: string]> = [
      ["loyalty-program/upsert", program({ rules: { ...none, min_amount: 1 } }), "/rules/min_amount"],
      ["deal/upsert", deal({ rules: { ...none, min_amount: 1 } }), "/rules/min_amount"],
      ["deal/upsert", deal({ rules: none }), "/reward_config/type"],
      ...[
        ["2026-01-01T00:00:00Z", "2025-12-31T23:59:59Z"],
        ["2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00"],
        ["2026-01-01T00:00:00.0000001Z", "2026-01-01T00:00:00.0000009Z"],
      ].flatMap(([from, until]): Array<[string, object, string]> => {
        const rules = { ...RULES, paid_after: from, paid_before: until };
        return [
          ["loyalty-program/upsert", program({ rules }), "/rules/paid_before"],
          ["deal/upsert", deal({ rules }), "/rules/paid_before"],
          ["deal/upsert", deal({ starts_at: from, ends_at: until }), "/ends_at"],
        ];
      }),
    ];
    for (const [route, body, path] of refused) {
      t.strictSame(issueOf(await client.post(route, body)), { status: 400, code: "bad_request", path });
    }
    const taken: ReadonlyArray<[route: string, body: object]> = [
      ["loyalty-program/upsert", program({ rules: { ...none, min_amount: 0 } })],
      ["deal/upsert", deal({ rules: none, reward_config: { type: "fixed", amount: 0, currency: "JPY" } })],
      [
        "deal/upsert",
        deal({ starts_at: "2026-01-01T00:00:00.000001Z", ends_at: "2026-01-01T00:00:00.000002Z" }),
      ],
    ];
    for (const [route, body] of taken) t.equal((await client.post(route, body)).status, 200);
  });

  await t.test("display content of a program or deal has 64 KiB at most, all texts together", async (t) => {
    const withText = (length: number) => ({
      ...DISPLAY_CONTENT,
      summary: "é".repeat(20_000),
      terms: "x".repeat(20_000),
      description: "y".repeat(length),
    });
    const most = 64 * 1024 - Buffer.byteLength(JSON.stringify(withText(0)));
    for (const [route, make] of [
      ["loyalty-program/upsert", program] as const,
      ["deal/upsert", deal] as const,
    ]) {
      const taken = await client.post(route, make({ display_content: withText(most) }));
      t.equal(Buffer.byteLength(JSON.stringify(taken.body.display_content)), 64 * 1024);
      const { id } = taken.body;
      const refused = await client.post(route, make({ id, display_content: withText(most + 1) }));
      t.strictSame(issueOf(refused), { status: 400, code: "bad_request", path: "/display_content" });
    }
  });

  await t.test("a walk in pages meets every record once; a cursor is its list's own", async (t) => {
    for (const [resource, , , make] of KINDS) {
      const made: string[] = [];
      for (let i = 0; i < 5; i++) made.push((await client.post(`${resource}/upsert`, make())).body.id);
      const walked: string[] = [];
      let cursor: string | null = null;
      do {
        const { status, body } = await client.post(`${resource}/list`, { pagination: { limit: 2, cursor } });
        t.equal(status, 200);
        t.equal(body.page.page_size, body.data.length);
        t.equal(body.page.more, body.page.cursor !== null);
        walked.push(...body.data.map(({ id }: { id: string }) => id));
        cursor = body.page.cursor;
      } while (cursor !== null);
      t.strictSame(walked.slice(-5), made, "oldest first");
      t.equal(new Set(walked).size, walked.length);
      const { body } = await client.post(`${resource}/list`, { pagination: { skip: walked.length - 1 } });
      t.strictSame(
        body.data.map(({ id }: { id: string }) => id),
        walked.slice(-1),
      );
    }
    const { body } = await client.post("deal/list", { pagination: { limit: 1 } });
    const { cursor } = body.page;
    for (const foreign of [cursor.slice(0, -1), `${cursor}A`, "", "x"]) {
      t.match(issueOf(await client.post("deal/list", { pagination: { cursor: foreign } })), {
        status: 400,
        path: "/pagination/cursor",
      });
    }
    t.match(issueOf(await client.post("retailer/list", { pagination: { cursor } })), {
      status: 400,
      path: "/pagination/cursor",
    });
  });

  await t.test("a retailer's token may report its own payments, and do nothing else", async (t) => {
    const one = (await client.post("retailer/upsert", retailer())).body;
    const two = (await client.post("retailer/upsert", retailer())).body;
    const shop = new PlatformClient(platform.url, one.token);
    for (const [route, { access }] of Object.entries(PLATFORM_ROUTES)) {
      if (access !== "platform") continue;
      t.match(
        await shop.post(route, {}),
        { status: 403, body: { error: { code: "authorization_error", data: { required: "platform" } } } },
        route,
      );
    }
    const payments = [payment(), payment()];
    const ingest = (retailer_id?: string) => shop.post("payment/ingest", { payments, retailer_id });
    t.match(await ingest(), { status: 200, body: { accepted: 2 } });
    t.match(await ingest(one.id), { status: 200, body: { accepted: 2 } });
    for (const id of [two.id, encodeId("ret", randomUUID()), "x"]) {
      t.match(await ingest(id), { status: 403, body: { error: { data: { required: "platform" } } } });
    }
  });

  await t.test("a retailer's token is rotated without a refused payment", async (t) => {
    const { id, token: first } = (await client.post("retailer/upsert", retailer())).body;
    const pay = async (token: string) =>
      (await new PlatformClient(platform.url, token).post("payment/ingest", { payments: [payment()] }))
        .status;
    const { status, body } = await client.post("retailer/rotate-token", { id });
    t.match({ status, body }, { status: 200, body: { id, token: /^stp_live_/, previous_until: /Z$/ } });
    t.equal(await pay(first), 200, "software with the old token goes on");
    t.equal(await pay(body.token), 200);
    const { body: leaked } = await client.post("retailer/rotate-token", { id, overlap_seconds: 0 });
    t.notOk("previous_until" in leaked);
    t.strictSame([await pay(first), await pay(body.token), await pay(leaked.token)], [401, 401, 200]);
    const unknown = { id: encodeId("ret", randomUUID()) };
    t.match(await client.post("retailer/rotate-token", unknown), {
      status: 404,
      body: { error: { data: { resource: "retailer" } } },
    });
  });

  await t.test("the platform's token may report the payments of a retailer that it names", async (t) => {
    const { id } = (await client.post("retailer/upsert", retailer())).body;
    const payments = [payment()];
    t.match(await client.post("payment/ingest", { payments, retailer_id: id }), { body: { accepted: 1 } });
    t.match(issueOf(await client.post("payment/ingest", { payments })), {
      status: 400,
      path: "/retailer_id",
    });
    t.match(await client.post("payment/ingest", { payments, retailer_id: encodeId("ret", randomUUID()) }), {
      status: 404,
      body: { error: { data: { resource: "retailer" } } },
    });
  });

  await t.test("a caller without a token of the platform or a retailer is refused", async (t) => {
    for (const secret of [undefined, "x", pipeline.publisher.token, `${token}x`]) {
      const stranger = new PlatformClient(platform.url, secret);
      for (const route of Object.keys(PLATFORM_ROUTES)) {
        t.match(await stranger.post(route, {}), {
          status: 401,
          headers: { "www-authenticate": "Bearer" },
          body: { error: { code: "authentication_error" } },
        });
      }
    }
    await pipeline.store`delete from platform.tokens`;
    t.equal(
      (await client.post("deal/list", {})).status,
      401,
      "a token that was taken away is refused at once",
    );
  });

  await t.test("metrics and logs show the requests", async (t) => {
    const { body } = await platform.ops("/metrics");
    t.match(
      body,
      /^stampede_http_requests_total\{route="deal\/upsert",code="ok",service="platform"\} [1-9]/m,
    );
    t.match(
      body,
      /^stampede_http_requests_total\{route="payment\/ingest",code="authorization_error",.*\} 3$/m,
    );
    t.match(platform.output(), /"route":"payment\/ingest".*"retailer":"/);
  });
});

t.test("platform API - if the database is not migrated, one clear line says so", async (t) => {
  const { pipeline } = await startPlatform(t);
  await pipeline.store`delete from platform.schema_migrations`;
  const failure = await pipeline.start("platform").then(
    (service: ServiceProcess) => service.output(),
    (error: Error) => error.message,
  );
  t.match(
    failure,
    /stampede platform: the platform's database lacks migrations \(0001_platform, .*0008_told_times\): run `stampede migrate` first\n/,
  );
});
