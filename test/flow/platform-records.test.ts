import { randomUUID } from "node:crypto";
import t from "tap";
import type { PlatformMessage, PlatformRecord, SettlementMessage } from "#contract";
import { decodeId, encodeId } from "#domain";
import { makeEvent, type Pipeline, PublisherClient, readStream, startPipeline, waitFor } from "#test-support";

/** Contract, section 8: what leaves for the platform about a transaction, and nothing else. */
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
  "every change of a transaction leaves for the platform, with its member's links and nothing personal",
  async (t) => {
    const pipeline = await startPipeline();
    t.teardown(() => pipeline.stop());
    const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
    const [linked, plain] = (await client.enrol("linked", "plain")) as [string, string];
    const links = await linkMember(pipeline, linked);

    const full = { amount: 987_654_321, currency: "EUR", statement_descriptor: "CAFÉ 12", bin: "41111122" };
    const first = makeEvent(linked, full);
    const second = makeEvent(plain, { merchant_id: 'M"1\\' });
    await client.ingest([first, second]);
    await client.ingest([{ ...first, cleared_at: "2026-03-02T10:00:00.000001Z" }]);
    await client.ingest([first]); // changes nothing, so says nothing

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
      authed_at: "2026-03-01T10:00:00.000000Z",
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

    const settlements = await readStream<SettlementMessage>(pipeline, "SETTLEMENT");
    t.strictSame(
      settlements.flatMap((message) => message.settlements),
      [
        {
          transaction: decodeId("tx", stored.body.id),
          organisation: pipeline.publisher.organisationId,
          state: "cleared",
        },
      ],
    );
  },
);

/** An enrolment, an open clip and a redeemed one; the last must not show. */
async function linkMember(
  { store, publisher }: Pipeline,
  member: string,
): Promise<Pick<PlatformRecord, "clips" | "enrolments">> {
  const memberId = decodeId("m", member) as string;
  const [collection, program, clip, deal, spent] = Array.from({ length: 5 }, () => randomUUID()) as [
    string,
    string,
    string,
    string,
    string,
  ];
  await store`
    insert into stamp_collections (id, organisation_id, member_id, loyalty_program_id)
    values (${collection}, ${publisher.organisationId}, ${memberId}, ${program})`;
  await store`
    insert into clips (id, organisation_id, member_id, deal_id, redeemed_at)
    values
      (${clip}, ${publisher.organisationId}, ${memberId}, ${deal}, null),
      (${spent}, ${publisher.organisationId}, ${memberId}, ${deal}, now())`;
  await store`update members set linked = true where id = ${memberId}`;
  return {
    clips: [{ clip_id: encodeId("clip", clip), deal_id: encodeId("deal", deal) }],
    enrolments: [
      { stamp_collection_id: encodeId("sc", collection), loyalty_program_id: encodeId("lp", program) },
    ],
  };
}
