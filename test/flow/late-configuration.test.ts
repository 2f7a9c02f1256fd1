import t, { type Test } from "tap";
import { uuidv7 } from "uuidv7";
import type { ConfigMessage, PlatformMessage } from "#contract/platform";
import { encodeId } from "#domain";
import { connectStream, ensureTopology } from "#nats";
import { createLog } from "#runtime";
import {
  DISPLAY_CONTENT,
  makeEvent,
  type Pipeline,
  PublisherClient,
  publishConfig,
  readStream,
  startPipeline,
  waitFor,
} from "#test-support";

/**
 * The times of a purchase decide which links it has, never the arrival of a message (contract, section 9):
 * here, of configuration.
 */

t.setTimeout(400_000);

const MINUTE_MS = 60_000;
const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS).toISOString();

/** Retroactive for the last hour, and not before. */
const HISTORY = [
  { since: ago(120), retroactive: false },
  { since: ago(60), retroactive: true },
];
const COMMON = { name: "N", display_content: DISPLAY_CONTENT, created_at: ago(120), updated_at: ago(120) };
const OFFERS = {
  deal: { ...COMMON, reward_config: { type: "fixed", amount: 100, currency: "EUR" } },
  "loyalty-program": { ...COMMON, qualifying_threshold: 5, reward_config: { type: "refund" } },
} as const;
type Kind = keyof typeof OFFERS;

const STEPS = ["the change", "the link", "the purchase"] as const;
const ORDERS = STEPS.flatMap((first) =>
  STEPS.filter((one) => one !== first).map((second) => [
    first,
    second,
    STEPS.find((one) => one !== first && one !== second) as (typeof STEPS)[number],
  ]),
);

async function openPublisher(t: Test) {
  const pipeline = await startPipeline();
  t.teardown(() => pipeline.stop());
  await pipeline.start("rewards");
  const log = createLog({ service: "test", level: "fatal" });
  const { natsUrl: url, streamPrefix: prefix } = pipeline;
  const platform = await connectStream({ url, name: "platform", prefix, log });
  t.teardown(() => platform.close());
  await ensureTopology(platform, { partitions: 2, maxBytes: 2 ** 26, linkMaxBytes: 2 ** 26 }, "platform");
  const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  const says = async (message: ConfigMessage) => {
    await publishConfig(platform, message);
    await waitFor(() => isApplied(pipeline, message), { message: "the configuration is not applied" });
  };
  return { pipeline, client, says };
}

async function isApplied({ store }: Pipeline, { kind, revision, id }: ConfigMessage): Promise<boolean> {
  const table = kind === "deal" ? "deals" : "loyalty_programs";
  const rows = await store<{ id: string }[]>`select id from ${store(table)} where revision = ${revision}`;
  return rows.some((row) => encodeId(kind === "deal" ? "deal" : "lp", row.id) === id);
}

async function isTold({ store }: Pipeline): Promise<boolean> {
  const [{ waiting }] = await store<[{ waiting: boolean }]>`
    select exists (select from new_links) or exists (select from late_retroactive) as waiting`;
  return !waiting;
}

/** Ids of the clips or enrolments that the platform got with this transaction. */
async function toldOf(pipeline: Pipeline, transactionId: string): Promise<string[]> {
  const messages = await readStream<PlatformMessage>(pipeline, "PLATFORM_TX");
  const records = messages
    .flatMap(({ records }) => records)
    .filter((one) => one.transaction_id === transactionId);
  const ids = records.flatMap(({ clips, enrolments }) => [
    ...clips.map(({ clip_id }) => clip_id),
    ...enrolments.map(({ stamp_collection_id }) => stamp_collection_id),
  ]);
  return [...new Set(ids)];
}

t.test(
  "regression - a program or deal that was retroactive for an hour, and announced late, did not count purchases with an earlier link",
  async (t) => {
    const publisher = await openPublisher(t);
    for (const kind of ["deal", "loyalty-program"] as const) {
      for (const order of ORDERS) {
        await t.test(`${kind}: ${order.join(", ")}`, () =>
          isLinked(publisher, kind, order, { ...OFFERS[kind], retroactive: true }),
        );
        // No member can enrol in a removed program, or save a removed deal.
        if (order.indexOf("the change") < order.indexOf("the link")) continue;
        await t.test(`${kind} that is removed: ${order.join(", ")}`, () =>
          isLinked(publisher, kind, order, null),
        );
      }
    }
  },
);

/**
 * @param changed the record after the change; null: the change removes it, and the change before it never
 *   arrived
 */
async function isLinked(
  { pipeline, client, says }: Awaited<ReturnType<typeof openPublisher>>,
  kind: Kind,
  order: readonly (typeof STEPS)[number][],
  changed: object | null,
): Promise<void> {
  const id = encodeId(kind === "deal" ? "deal" : "lp", uuidv7());
  const config = { v: 1, kind, id } as const;
  const history = { retroactive_history: HISTORY };
  const change = changed === null ? { record: null, ...history } : { record: { ...changed, ...history } };
  await says({ ...config, revision: 1, record: OFFERS[kind] } as ConfigMessage);
  const [member] = (await client.enrol(uuidv7())) as [string];
  const event = makeEvent(member, { authed_at: ago(30) });
  let link = "";
  const steps = {
    "the change": () => says({ ...config, revision: 3, ...change } as ConfigMessage),
    "the purchase": () => client.ingest([event]),
    "the link": async () => {
      link = await joins(client, kind, member, id);
    },
  };
  for (const step of order) {
    await steps[step]();
    await waitFor(() => isTold(pipeline), { message: "links are still to be told of" });
  }
  const { body } = await client.post("transaction/get", { external_id: event.external_id });
  await waitFor(async () => (await toldOf(pipeline, body.id)).includes(link), {
    message: "the purchase is told without its link",
  });
}

async function joins(client: PublisherClient, kind: Kind, member: string, id: string): Promise<string> {
  const { body } =
    kind === "deal"
      ? await client.post("wallet.clip/save", { member_id: member, deal_id: id })
      : await client.post("wallet.stamp-collection/create", { member_id: member, loyalty_program_id: id });
  return body.id;
}
