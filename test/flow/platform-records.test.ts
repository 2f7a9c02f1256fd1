import { randomUUID } from "node:crypto";
import t from "tap";
import { HEADERS, LIMITS } from "#contract";
import type { Settlement, SettlementMessage } from "#contract/ingest";
import type { PlatformMessage, PlatformRecord } from "#contract/platform";
import { decodeId, encodeId } from "#domain";
import {
  DISPLAY_CONTENT,
  makeEvent,
  type Pipeline,
  PublisherClient,
  readMessages,
  readStream,
  startPipeline,
  waitFor,
} from "#test-support";
import { applyDealConfig, applyProgramConfig } from "../../services/rewards/src/handle-config.ts";

/** Contract, section 8: the data of a transaction that leaves for the platform, and no more. */
const FIELDS = [
  "authed_at",
  "cleared_at",
  "clips",
  "enrolments",
  "identifiers",
  "merchant_id",
  "reverted_at",
  "statement_descriptor",
  "transaction_id",
];

t.test(
  "every change of a transaction is sent to the platform, with its member's links and nothing personal",
  async (t) => {
    const pipeline = await startPipeline();
    t.teardown(() => pipeline.stop());
    const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
    const [linked, plain] = (await client.enrol("linked", "plain")) as [string, string];
    const links = await linkMember(pipeline, client, linked);

    // A new link makes ingest publish the records of earlier purchases again. There are none; then the link
    // is announced.
    const areTold = async () => (await pipeline.store`select 1 from new_links`).length === 0;
    await waitFor(areTold, { message: "the links are not told of" });

    const authed_at = new Date().toISOString();
    const money = { amount: 987_654_321, currency: "EUR" };
    const full = { ...money, statement_descriptor: "CAFÉ 12", bin: "41111122", authed_at };
    const first = makeEvent(linked, full);
    const second = makeEvent(plain, { merchant_id: 'M"1\\' });
    await client.ingest([first, second]);
    await client.ingest([{ ...first, cleared_at: "2026-03-02T10:00:00.000001Z" }]);
    await client.ingest([first]); // changes nothing, so no record follows

    const records = await waitFor(
      async () => {
        const messages = await readStream<PlatformMessage>(pipeline, "PLATFORM_TX");
        const all = messages.flatMap((message) => message.records);
        return all.length >= 3 && all;
      },
      { message: "three records did not come" },
    );
    t.equal(records.length, 3);
    const stored = await client.post("transaction/get", { external_id: first.external_id });
    const [authorized, cleared] = records.filter((one) => one.transaction_id === stored.body.id);
    const expected = {
      transaction_id: stored.body.id,
      identifiers: stored.body.identifiers,
      merchant_id: first.merchant_id,
      statement_descriptor: "CAFÉ 12",
      authed_at: authed_at.replace("Z", "000Z"),
      ...links,
    };
    t.strictSame(authorized, expected);
    t.strictSame(cleared, { ...expected, cleared_at: "2026-03-02T10:00:00.000001Z" });
    const other = records.find((one) => one.transaction_id !== stored.body.id);
    t.match(other, { merchant_id: 'M"1\\', clips: [], enrolments: [] });
    for (const record of records)
      t.strictSame(
        Object.keys(record).filter((key) => !FIELDS.includes(key)),
        [],
      );
    for (const word of [linked, "linked", "987654321", "EUR", first.auth_code, first.bin, first.network]) {
      t.notOk(JSON.stringify(records).includes(word), "no member, ref, amount, currency or card data");
    }

    const transaction = decodeId("tx", stored.body.id);
    const { organisationId: organisation } = pipeline.publisher;
    t.strictSame(await settlementsOf(pipeline), [{ transaction, organisation, state: "cleared" }]);
  },
);

t.test(
  "each change of a known transaction makes a settlement, a new transaction and a stranger's do not",
  async (t) => {
    const pipeline = await startPipeline();
    t.teardown(() => pipeline.stop());
    const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
    const [member, stranger] = (await client.enrol("settled", "without links")) as [string, string];
    await linkMember(pipeline, client, member);
    const settled = { cleared_at: "2026-03-02T10:00:00Z" };
    const bare = makeEvent(member);
    const born = { ...makeEvent(member), ...settled };
    const strange = makeEvent(stranger);
    await client.ingest([bare, born, strange]);
    await client.ingest([{ ...strange, ...settled }]);
    await client.ingest([{ ...bare, amount: 100, currency: "EUR" }]);
    await client.ingest([{ ...bare, ...settled }]);
    await client.ingest([born]);

    const settlements = await waitFor(
      async () => {
        const all = await settlementsOf(pipeline);
        return all.length >= 2 && all;
      },
      { message: "two settlements did not come" },
    );
    const { body } = await client.post("transaction/get", { external_id: bare.external_id });
    const transaction = decodeId("tx", body.id);
    t.strictSame(
      settlements.map((one) => [one.transaction, one.state]),
      [
        [transaction, "authorized"],
        [transaction, "cleared"],
      ],
    );
  },
);

t.test("messages say how many rows they stand for, and stay short enough to be two to a batch", async (t) => {
  const pipeline = await startPipeline({ env: { STAMPEDE_PARTITIONS: "1" } });
  t.teardown(() => pipeline.stop());
  const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  const [member] = (await client.enrol("many")) as [string];
  await linkMember(pipeline, client, member);
  const events = Array.from({ length: 3000 }, () => makeEvent(member));
  await client.ingest(events);
  await client.ingest(events.map((event) => ({ ...event, cleared_at: "2026-03-02T10:00:00Z" })));

  for (const [stream, field, rows] of [
    ["PLATFORM_TX", "records", 6000],
    ["SETTLEMENT", "settlements", 3000],
  ] as const) {
    const messages = await waitFor(
      async () => {
        const all = await readMessages<Record<string, unknown[]>>(pipeline, stream);
        return sum(all.map(({ body }) => body[field]?.length ?? 0)) >= rows && all;
      },
      { message: `${stream} does not get all` },
    );
    for (const { body, headers } of messages) {
      const count = body[field]?.length ?? 0;
      t.equal(headers[HEADERS.rows], String(count));
      t.ok(count <= LIMITS.rowsPerBatch / 2, `${count}`);
    }
  }
});

async function settlementsOf(pipeline: Pipeline): Promise<Settlement[]> {
  const messages = await readStream<SettlementMessage>(pipeline, "SETTLEMENT");
  return messages.flatMap((message) => message.settlements);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** An enrolment, an open clip and a redeemed one, which must not show. */
async function linkMember(
  { store }: Pipeline,
  client: PublisherClient,
  member: string,
): Promise<Pick<PlatformRecord, "clips" | "enrolments">> {
  const [programId, dealId] = [randomUUID(), randomUUID()];
  const config = {
    name: "linked",
    displayContent: DISPLAY_CONTENT,
    createdAt: "2026-01-01T00:00:00.000000Z",
    updatedAt: "2026-01-01T00:00:00.000000Z",
  };
  const rewardConfig = { type: "refund" } as const;
  await applyProgramConfig(store, {
    id: programId,
    revision: 1,
    record: { ...config, qualifyingThreshold: 5, rewardConfig },
  });
  await applyDealConfig(store, {
    id: dealId,
    revision: 1,
    record: { ...config, rewardConfig: { type: "percent", percent: 5 } },
  });
  const [program, deal] = [encodeId("lp", programId), encodeId("deal", dealId)];
  const enrolled = { loyalty_program_id: program, member_id: member };
  const collection = await client.post("wallet.stamp-collection/create", enrolled);
  const clipped = { deal_id: deal, member_id: member };
  const spent = await client.post("wallet.clip/save", clipped);
  await store`update clips set redeemed_at = now() where id = ${decodeId("clip", spent.body.id) as string}`;
  const clip = await client.post("wallet.clip/save", clipped);
  return {
    clips: [{ clip_id: clip.body.id, deal_id: deal }],
    enrolments: [{ stamp_collection_id: collection.body.id, loyalty_program_id: program }],
  };
}
