import t from "tap";
import { uuidv7 } from "uuidv7";
import { encodeId } from "#domain";
import { PublisherClient, startPipeline, testDeal, testProgram } from "#test-support";

const BOUNDS = {
  STAMPEDE_MAX_WEBHOOKS: "2",
  // The token of the test counts as one.
  STAMPEDE_MAX_TOKENS: "3",
  STAMPEDE_MAX_MEMBERBASES: "2",
  STAMPEDE_MAX_ENROLMENTS: "2",
  STAMPEDE_MAX_OPEN_CLIPS: "2",
};

t.test("bounds - one more than the settings allow is a conflict that names the limit", async (t) => {
  const pipeline = await startPipeline({ begin: ["edge"], env: BOUNDS });
  t.teardown(() => pipeline.stop());
  const { store, edge } = pipeline;
  const client = new PublisherClient(edge.url, pipeline.publisher.token);
  const stranger = new PublisherClient(edge.url, (await pipeline.newPublisher()).token);
  const member_id = await (async () => {
    const { body } = await client.post("member-base/create", { name: "customers" });
    return (await client.post("member/bulk-upsert", { member_base_id: body.id, members: [{ ref: "a" }] }))
      .body[0];
  })();
  await client.post("member-base/create", { name: "more customers" });
  const [programs, deals]: [string[], string[]] = [[], []];
  for (let n = 0; n < 3; n++) {
    programs.push(encodeId("lp", await testProgram(store)));
    deals.push(encodeId("deal", await testDeal(store)));
  }
  const kinds: ReadonlyArray<[route: string, reason: string, bodies: readonly object[]]> = [
    ["member-base/create", "too_many_memberbases", [{ name: "no" }]],
    [
      "webhook/create",
      "too_many_webhooks",
      [1, 2, 3].map((n) => ({ url: `https://93.184.216.34/${n}`, events: ["cashback.created"] })),
    ],
    [
      "api-token/create",
      "too_many_tokens",
      [1, 2, 3].map((n) => ({ access: "read", description: `till ${n}` })),
    ],
    [
      "wallet.stamp-collection/create",
      "too_many_enrolments",
      programs.map((loyalty_program_id) => ({ loyalty_program_id, member_id })),
    ],
    ["wallet.clip/save", "too_many_clips", deals.map((deal_id) => ({ deal_id, member_id }))],
  ];
  for (const [route, reason, bodies] of kinds) {
    for (const body of bodies.slice(0, -1)) t.equal((await client.post(route, body)).status, 200, route);
    const refused = {
      status: 409,
      body: { error: { code: "conflict", data: { reason, limit: reason === "too_many_tokens" ? 3 : 2 } } },
    };
    t.match(await client.post(route, bodies.at(-1)), refused);
    t.match(await client.post(route, bodies.at(-1), { "idempotency-key": uuidv7() }), refused);
  }
  t.equal((await stranger.post("member-base/create", { name: "mine" })).status, 200);
});
