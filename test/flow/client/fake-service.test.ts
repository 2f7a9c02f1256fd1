import t from "tap";
import { type IngestResult, StampedeClient, StampedeError, type TransactionEvent } from "#client";
import { clearing, type FakeStampede, reversal, startFakeStampede, transactionEvent } from "#client/testing";
import { type Pipeline, startPipeline, waitFor } from "#test-support";

/**
 * The fake service of `#client/testing` gives the service's answers on the routes that it answers by itself.
 */

t.setTimeout(400_000);

let pipeline: Pipeline;
let fake: FakeStampede;
let clients: readonly StampedeClient[];

t.before(async () => {
  [pipeline, fake] = await Promise.all([startPipeline(), startFakeStampede({ knowsMembers: true })]);
  clients = [
    new StampedeClient({ baseUrl: pipeline.edge.url ?? "", token: pipeline.publisher.token }),
    new StampedeClient({ baseUrl: fake.url, token: fake.token }),
  ];
});
t.teardown(async () => {
  await Promise.all(clients?.map((client) => client.close()) ?? []);
  await fake?.close();
  await pipeline?.stop();
});

/** The answer of either service; for an error, the fields by which programs decide. */
async function answerOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return withoutIds(await call);
  } catch (error) {
    if (!(error instanceof StampedeError)) throw error;
    const { code, status, data } = error;
    return { code, status, data: withoutIds(data) };
  }
}

/** Replaces ids, server times and cursors, which differ between the two. */
const OWN = new Set([
  "id",
  "batch_id",
  "member_id",
  "member_base_id",
  "trace_id",
  "cursor",
  "created_at",
  "updated_at",
]);

function withoutIds(value: unknown): unknown {
  if (typeof value === "string") return /^(?:m|mb|tx|batch)_/.test(value) ? "an id" : value;
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (!OWN.has(name)) return [name, withoutIds(inner)];
      return [name, inner === null ? null : typeof inner];
    }),
  );
}

interface Scene {
  readonly client: StampedeClient;
  readonly base: string;
  readonly members: readonly string[];
}

type Step = readonly [what: string, act: (scene: Scene) => Promise<unknown>];

const { member_id: _, ...plain } = transactionEvent();
const ofAda = ({ members }: Scene, fields: Partial<TransactionEvent> = {}): TransactionEvent => ({
  ...plain,
  member_id: members[0] as string,
  ...fields,
});
const ingest = (make: (scene: Scene) => TransactionEvent[]) => (scene: Scene) =>
  scene.client.ingest(make(scene), { outcomes: true });

const bare = { external_id: "bare", amount: undefined, statement_descriptor: undefined };
const CLEARED = { cleared_at: "2026-03-02T04:00:00.5+02:00" };

const STEPS: readonly Step[] = [
  ["new events", ingest((scene) => [ofAda(scene), ofAda(scene, bare)])],
  ["the same again", ingest((scene) => [ofAda(scene)])],
  ["what was missing", ingest((scene) => [ofAda(scene, { ...bare, amount: 7 })])],
  ["a clearing with its tip", ingest((scene) => [clearing(ofAda(scene), { amount: 1400, ...CLEARED })])],
  [
    "a reversal of it, among others",
    ingest((scene) => [reversal(ofAda(scene)), ofAda(scene, { external_id: "x" })]),
  ],
  ["another card", ingest((scene) => [ofAda(scene, { auth_code: "OTHER" })])],
  ["another member", ingest((scene) => [ofAda(scene, { member_id: scene.members[1] as string })])],
  ["fields that stay", ingest((scene) => [ofAda(scene, { ...bare, amount: 8, currency: "SEK" })])],
  [
    "one transaction several times",
    ingest((scene) => {
      const event = ofAda(scene, { external_id: "y" });
      return [event, clearing(event, CLEARED), event, reversal(event)];
    }),
  ],
  ["a stranger", ingest((scene) => [ofAda(scene, { external_id: "z", member_id: "m_0123" })])],
  [
    "malformed events",
    ingest((scene) => [
      ofAda(scene, { bin: "1" }),
      ofAda(scene),
      ofAda(scene, { currency: "EURO" }),
      { ...ofAda(scene), colour: "red" } as TransactionEvent,
    ]),
  ],
  ["none", ingest(() => [])],
  ["a transaction", ({ client }) => client.getTransaction(plain.external_id)],
  ["another", ({ client }) => client.getTransaction("bare")],
  [
    "transactions of a member",
    ({ client, members }) => client.call("transaction/list", { member_id: members[2] as string }),
  ],
  ["programs", ({ client }) => client.call("loyalty-program/list", {})],
  ["no transaction", ({ client }) => client.getTransaction("nothing")],
  [
    "a batch",
    async ({ client, ...scene }) => {
      const events = [
        ofAda({ client, ...scene }, { external_id: "late" }),
        reversal(ofAda({ client, ...scene })),
      ];
      const result: IngestResult = await client.ingest(events, { respondAsync: true });
      if (result.status !== "accepted") throw new Error(result.status);
      const id = result.batch_id;
      return waitFor(
        async () => {
          const batch = await client.call("transaction.batch/get", { id });
          return batch.status === "processed" && { result, batch };
        },
        { message: "the batch is processed" },
      );
    },
  ],
  ["no batch", ({ client }) => client.call("transaction.batch/get", { id: "batch_0" })],
  [
    "members in pages",
    async ({ client, base }) => {
      const first = await client.call("member/list", { member_base_id: base, pagination: { limit: 2 } });
      const pagination = { limit: 2, cursor: first.page.cursor };
      return [first, await client.call("member/list", { member_base_id: base, pagination })];
    },
  ],
  [
    "members by ref",
    ({ client, base }) =>
      client.call("member/list", { member_base_id: base, filters: [{ key: "ref", nin: ["ada"] }] }),
  ],
  [
    "members by a nested filter, without the first",
    ({ client, base, members }) => {
      const byId = { key: "id", eq: members[2] as string } as const;
      const filters = [{ or: [{ key: "ref", in: ["ada"] }, byId] }] as const;
      return client.call("member/list", { member_base_id: base, filters, pagination: { skip: 1 } });
    },
  ],
  [
    "a member that is there",
    async ({ client, base, members }) =>
      (await client.upsertMembers(base, [{ ref: "cy" }]))[0] === members[2],
  ],
  [
    "attributes that change",
    async ({ client, base }) => {
      await client.upsertMembers(base, [{ ref: "bo", attributes: { city: "Lund", tier: null } }]);
      return client.getMember({ member_base_id: base, ref: "bo" });
    },
  ],
  ["no member", ({ client, base }) => client.getMember({ member_base_id: base, ref: "unknown" })],
  ["no memberbase", ({ client }) => client.upsertMembers("mb_0", [{ ref: "ada" }])],
  [
    "members that go",
    async ({ client, base }) =>
      client.call("member/bulk-delete", { member_base_id: base, refs: ["bo", "unknown"] }),
  ],
  [
    "an event of one that has gone",
    ingest((scene) => [ofAda(scene, { external_id: "gone", member_id: scene.members[1] as string })]),
  ],
  [
    "a key for another body",
    async ({ client }) => {
      await client.createMemberbase("one", { idempotencyKey: "k" });
      return client.createMemberbase("two", { idempotencyKey: "k" });
    },
  ],
  [
    "no such filter",
    ({ client }) => client.call("member-base/list", { filters: [{ key: "id", eq: "x" }] as never }),
  ],
];

t.test("fake service - answers as the service does, step by step", async (t) => {
  const scenes = await Promise.all(
    clients.map(async (client): Promise<Scene> => {
      const { id } = await client.createMemberbase("demo");
      const refs = ["ada", "bo", "cy"].map((ref) => ({ ref, attributes: { tier: 1, city: "Uppsala" } }));
      return { client, base: id, members: await client.upsertMembers(id, refs) };
    }),
  );
  for (const [what, act] of STEPS) {
    const [expected, actual] = await Promise.all(scenes.map((scene) => answerOf(act(scene))));
    t.strictSame(actual, expected, what);
  }
});
