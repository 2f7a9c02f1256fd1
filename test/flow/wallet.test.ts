import { randomUUID } from "node:crypto";
import t from "tap";
import { decodeId, encodeId } from "#domain";
import { makeEvent, type Pipeline, PublisherClient, startPipeline } from "#test-support";
import { applyDealConfig, applyProgramConfig } from "../../services/rewards/src/handle-config.ts";

const DISPLAY = {
  title: "Ten coffees",
  image: "https://x.test/hero.png",
  logo: "https://x.test/logo.png",
  summary: "The tenth is on us",
  description: "Every coffee counts.",
  terms: "One stamp a purchase.",
  reward: { formatted: "1 coffee" },
};
const CREATED_AT = "2026-01-01T00:00:00.000000Z";
const UPDATED_AT = "2026-01-02T00:00:00.123456Z";
const UNKNOWN_MEMBER = "m_01h455vb4pex5vsknk084sn02q";
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let pipeline: Pipeline;
let client: PublisherClient;
let stranger: PublisherClient;
let lastRevision = 0;

t.before(async () => {
  pipeline = await startPipeline();
  client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  stranger = new PublisherClient(pipeline.edge.url, (await pipeline.newPublisher()).token);
});
t.teardown(() => pipeline.stop());

/** Writes it as the platform's message would. @returns the id in the API's form */
async function addProgram(name = "Coffee"): Promise<string> {
  const id = randomUUID();
  await applyProgramConfig(pipeline.store, {
    id,
    revision: ++lastRevision,
    record: {
      name,
      qualifyingThreshold: 10,
      rewardConfig: { type: "fixed-reward", amount: 450 },
      displayContent: DISPLAY,
      currency: "EUR",
      createdAt: CREATED_AT,
      updatedAt: UPDATED_AT,
    },
  });
  return encodeId("lp", id);
}

async function addDeal(dates: { startsAt?: string; endsAt?: string } = {}): Promise<string> {
  const id = randomUUID();
  await applyDealConfig(pipeline.store, {
    id,
    revision: ++lastRevision,
    record: {
      name: "Shoes",
      rewardConfig: { type: "percent", percent: 12.5, max_amount: 1000 },
      displayContent: DISPLAY,
      createdAt: CREATED_AT,
      updatedAt: UPDATED_AT,
      ...dates,
    },
  });
  return encodeId("deal", id);
}

const newMember = async () => (await client.enrol("ada"))[0] as string;
const enrol = (program: string, member: string) =>
  client.post("wallet.stamp-collection/create", { loyalty_program_id: program, member_id: member });
const save = (deal: string, member: string) =>
  client.post("wallet.clip/save", { deal_id: deal, member_id: member });
const list = (route: string, member: string, pagination: object = {}) =>
  client.post(route, { member_id: member, pagination });
const notFound = (resource: string) => ({
  status: 404,
  body: { error: { code: "not_found", data: { resource } } },
});
const conflict = (data: object) => ({ status: 409, body: { error: { code: "conflict", data } } });
const idsOf = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id);

t.test(
  "every organisation reads a program and a deal; of an unknown id the answer says what it is not",
  async (t) => {
    const [program, deal] = [await addProgram(), await addDeal()];
    t.match(await stranger.post("loyalty-program/get", { id: program }), {
      status: 200,
      body: { id: program },
    });
    t.match(await stranger.post("deal/get", { id: deal }), { status: 200, body: { id: deal } });
    for (const unknown of [program.replace("lp_", "deal_"), "lp_x", "", UNKNOWN_MEMBER]) {
      t.match(await client.post("loyalty-program/get", { id: unknown }), notFound("loyalty_program"));
    }
    for (const unknown of ["deal_01h455vb4pex5vsknk084sn02q", "x"]) {
      t.match(await client.post("deal/get", { id: unknown }), notFound("deal"));
    }
  },
);

t.test("programs and deals are walked page by page; a cursor is of one list and organisation", async (t) => {
  for (const [kind, add] of [
    ["loyalty-program", () => addProgram()],
    ["deal", () => addDeal()],
  ] as const) {
    const made = [await add(), await add(), await add()];
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await client.post(`${kind}/list`, { pagination: { limit: 2, cursor } });
      t.equal(page.status, 200);
      seen.push(...idsOf(page));
      t.equal(page.body.page.more, page.body.page.cursor !== null);
      cursor = page.body.page.cursor;
    } while (cursor !== null);
    t.equal(new Set(seen).size, seen.length, "none twice");
    t.ok(
      made.every((id) => seen.includes(id)),
      "none is left out",
    );
    const { cursor: mine } = (await client.post(`${kind}/list`, { pagination: { limit: 1 } })).body.page;
    const other = kind === "deal" ? "loyalty-program/list" : "deal/list";
    t.match(await client.post(other, { pagination: { cursor: mine } }), { status: 400 });
    t.match(await stranger.post(`${kind}/list`, { pagination: { cursor: mine } }), { status: 400 });
  }
});

t.test("a member is enrolled once in a program, and its enrolments are listed", async (t) => {
  const [program, other, member] = [await addProgram(), await addProgram(), await newMember()];
  const first = await enrol(program, member);
  t.equal(first.status, 200);
  t.match(first.body, { id: /^sc_/, loyalty_program_id: program, created_at: TIME, unredeemed_purchases: 0 });
  t.equal(Object.keys(first.body).length, 4);
  t.same((await client.post("wallet.stamp-collection/get", { id: first.body.id })).body, first.body);
  const again = { reason: "already_enrolled", stamp_collection_id: first.body.id };
  t.match(await enrol(program, member), conflict(again));
  const second = await enrol(other, member);
  const route = "wallet.stamp-collection/list";
  t.same((await list(route, member)).body.data, [first.body, second.body]);
  const page = await list(route, member, { limit: 1 });
  t.match(page.body.page, { page_size: 1, more: true, cursor: String });
  const { cursor } = page.body.page;
  t.strictSame(idsOf(await list(route, member, { cursor })), [second.body.id]);
  t.match(await list(route, await newMember(), { cursor }), { status: 400 });
  t.match((await list(route, await newMember())).body, { data: [], page: { page_size: 0, more: false } });
});

t.test("a deal is saved, not twice while it is open, and again once it was redeemed", async (t) => {
  const [deal, member] = [await addDeal(), await newMember()];
  const first = await save(deal, member);
  t.equal(first.status, 200);
  t.match(first.body, { id: /^clip_/, deal_id: deal, member_id: member, created_at: TIME });
  t.equal(Object.keys(first.body).length, 4);
  t.match(await save(deal, member), conflict({ reason: "already_clipped", clip_id: first.body.id }));
  const clipId = decodeId("clip", first.body.id) as string;
  await pipeline.store`update clips set redeemed_at = '2026-03-01T10:00:00Z' where id = ${clipId}`;
  const second = await save(deal, member);
  t.equal(second.status, 200);
  const redeemed = { ...first.body, redeemed_at: "2026-03-01T10:00:00.000Z" };
  t.same((await list("wallet.clip/list", member)).body.data, [redeemed, second.body]);
});

t.test("a deal can be saved before it begins, but not after its end", async (t) => {
  const member = await newMember();
  const coming = await addDeal({ startsAt: "2100-01-01T00:00:00.000000Z" });
  t.match(await save(coming, member), { status: 200 });
  const over = await addDeal({ endsAt: "2020-01-01T00:00:00.000000Z" });
  t.match(await save(over, member), conflict({ reason: "deal_ended", ends_at: "2020-01-01T00:00:00.000Z" }));
});

t.test("a program to enrol in, or a deal to save, must exist", async (t) => {
  const [program, deal, member] = [await addProgram(), await addDeal(), await newMember()];
  for (const unknown of ["lp_01h455vb4pex5vsknk084sn02q", deal, "x"]) {
    t.match(await enrol(unknown, member), notFound("loyalty_program"));
  }
  for (const unknown of ["deal_01h455vb4pex5vsknk084sn02q", program, "x"]) {
    t.match(await save(unknown, member), notFound("deal"));
  }
  for (const unknown of [UNKNOWN_MEMBER, program, "x"]) {
    t.match(await enrol(program, unknown), notFound("member"));
    t.match(await save(deal, unknown), notFound("member"));
    for (const kind of ["stamp-collection", "clip", "cashback"]) {
      t.match(await list(`wallet.${kind}/list`, unknown), notFound("member"));
    }
  }
  for (const unknown of ["sc_01h455vb4pex5vsknk084sn02q", member, "x"]) {
    const answer = await client.post("wallet.stamp-collection/get", { id: unknown });
    t.match(answer, notFound("stamp_collection"));
  }
});

t.test("a cashback is listed with its source, and shown by the transaction that earned it", async (t) => {
  const member = await newMember();
  const [earning, plain] = [makeEvent(member), makeEvent(member)];
  t.match(await client.ingest([earning, plain]), { status: 200 });
  const transaction = (await client.post("transaction/get", { external_id: earning.external_id })).body;
  t.strictSame(transaction.rewards, []);
  const [cashback, clip, deal] = [randomUUID(), randomUUID(), randomUUID()];
  await pipeline.store`
    insert into cashbacks (id, organisation_id, transaction_id, amount, created_at, cleared_at, member_id, clip_id,
                           deal_id, transaction_ref, state, currency)
    values (${cashback}, ${pipeline.publisher.organisationId}, ${decodeId("tx", transaction.id)}, 125,
            '2026-03-01T10:00:00Z', '2026-03-02T10:00:00Z', ${decodeId("m", member)}, ${clip}, ${deal},
            ${earning.external_id}, 'cleared', 'EUR')`;
  const reward = {
    id: encodeId("cb", cashback),
    state: "cleared",
    amount: 125,
    currency: "EUR",
    source: { type: "clip", clip_id: encodeId("clip", clip), deal_id: encodeId("deal", deal) },
    created_at: "2026-03-01T10:00:00.000Z",
    cleared_at: "2026-03-02T10:00:00.000Z",
  };
  t.same((await list("wallet.cashback/list", member)).body, {
    data: [{ ...reward, transaction_id: transaction.id, transaction_ref: earning.external_id }],
    page: { page_size: 1, cursor: null, more: false },
  });
  const rewarded = await client.post("transaction/get", { external_id: earning.external_id });
  t.same(rewarded.body.rewards, [reward]);
  t.same((await client.post("transaction/get", { external_id: plain.external_id })).body.rewards, []);
});
