import t from "tap";
import type { TransactionEvent } from "#contract";
import { makeEvent, type Pipeline, PublisherClient, startPipeline, waitFor } from "#test-support";

/** The lifecycle table of the contract (section 6), through HTTP, the stream and Postgres. */
let pipeline: Pipeline;
let client: PublisherClient;
let member: string;

t.before(async () => {
  pipeline = await startPipeline();
  client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  [member] = (await client.enrol("lifecycle")) as [string];
});

t.teardown(() => pipeline.stop());

type Kind = "authorization" | "clearing" | "reversal";

const DATES: Record<Kind, Partial<TransactionEvent>> = {
  authorization: {},
  clearing: { cleared_at: "2026-03-02T10:00:00Z" },
  reversal: { reverted_at: "2026-03-03T10:00:00Z" },
};

/** First event, second event, the state afterwards, and the outcome of the second. */
const TABLE: Array<[Kind, Kind, string, "unchanged" | "updated" | "rejected"]> = [
  ["authorization", "authorization", "authorized", "unchanged"],
  ["authorization", "clearing", "cleared", "updated"],
  ["authorization", "reversal", "reverted", "updated"],
  ["clearing", "authorization", "cleared", "unchanged"],
  ["clearing", "clearing", "cleared", "unchanged"],
  ["clearing", "reversal", "cleared", "rejected"],
  ["reversal", "authorization", "reverted", "unchanged"],
  ["reversal", "clearing", "reverted", "rejected"],
  ["reversal", "reversal", "reverted", "unchanged"],
];

const STATE_OF: Record<Kind, string> = {
  authorization: "authorized",
  clearing: "cleared",
  reversal: "reverted",
};

function pair(first: Kind, second: Kind): [TransactionEvent, TransactionEvent] {
  const event = makeEvent(member, DATES[first]);
  return [event, makeEvent(member, { external_id: event.external_id, ...DATES[second] })];
}

async function stateOf(externalId: string): Promise<string> {
  return (await client.post("transaction/get", { external_id: externalId })).body.state;
}

for (const [first, second, state, result] of TABLE) {
  t.test(`${first}, then ${second}, in two requests: ${result}, ${state}`, async (t) => {
    const [a, b] = pair(first, second);
    t.match(await client.ingest([a]), {
      status: 200,
      body: { status: "processed", accepted: 1, created: 1 },
    });
    t.equal(await stateOf(a.external_id), STATE_OF[first]);
    const answer = await client.ingest([b]);
    if (result === "rejected") {
      t.match(answer, {
        status: 409,
        body: {
          error: {
            code: "conflict",
            data: {
              reason: "invalid_transition",
              external_id: b.external_id,
              accepted: 0,
              rejected: [{ index: 0, code: "conflict", from: STATE_OF[first], to: STATE_OF[second] }],
            },
          },
        },
      });
    } else {
      t.match(answer, { status: 200, body: { accepted: 1, created: 0, [result]: 1 } });
    }
    t.equal(await stateOf(a.external_id), state);
  });

  t.test(`${first}, then ${second}, in one request: ${result}, ${state}`, async (t) => {
    const [a, b] = pair(first, second);
    const bystander = makeEvent(member);
    const answer = await client.ingest([a, bystander, b]);
    if (result === "rejected") {
      t.match(answer, {
        status: 409,
        body: { error: { data: { accepted: 2, rejected: [{ index: 2, reason: "invalid_transition" }] } } },
      });
    } else {
      t.match(answer, { status: 200, body: { accepted: 3, created: 2, [result]: 1 } });
    }
    t.equal(await stateOf(a.external_id), state);
    t.equal(await stateOf(bystander.external_id), "authorized", "its neighbour is applied nevertheless");
  });
}

t.test("the first cleared_at stands, and clearing settles the amount", async (t) => {
  const event = makeEvent(member, { amount: 450, currency: "EUR" });
  await client.ingest([event]);
  const cleared = { ...event, ...DATES.clearing, amount: 500 };
  t.match(await client.ingest([cleared]), { body: { updated: 1 } });
  t.match(await client.ingest([{ ...cleared, cleared_at: "2026-04-01T00:00:00Z", amount: 600 }]), {
    body: { unchanged: 1 },
  });
  t.match(await client.post("transaction/get", { external_id: event.external_id }), {
    body: { amount: 500, currency: "EUR", cleared_at: "2026-03-02T10:00:00.000Z", state: "cleared" },
  });
});

t.test("a later event fills in an absent value, and does not change a present one", async (t) => {
  const event = makeEvent(member, { currency: "EUR" });
  await client.ingest([event]);
  const later = { ...event, amount: 990, currency: "SEK", statement_descriptor: "COFFEE", bin: "41111122" };
  t.match(await client.ingest([later]), { body: { updated: 1, unchanged: 0 } });
  const { body } = await client.post("transaction/get", { external_id: event.external_id });
  t.match(body, { amount: 990, currency: "EUR", statement_descriptor: "COFFEE", state: "authorized" });
  t.equal(body.identifiers.length, 2, "a longer bin adds its identifier");
});

t.test("an event for another member or another card is an identity mismatch", async (t) => {
  const [other] = (await client.enrol("other")) as [string];
  const event = makeEvent(member);
  await client.ingest([event]);
  t.match(await client.ingest([{ ...event, member_id: other }]), {
    status: 409,
    body: { error: { data: { reason: "identity_mismatch", rejected: [{ field: "member_id" }] } } },
  });
  t.match(await client.ingest([{ ...event, auth_code: "OTHER1" }]), {
    status: 409,
    body: { error: { data: { reason: "identity_mismatch", rejected: [{ field: "card" }] } } },
  });
});

t.test("an unknown member is not found, in any form of its id", async (t) => {
  for (const unknown of [
    "m_01h455vb4pex5vsknk084sn02q",
    "mb_01h455vb4pex5vsknk084sn02q",
    "7",
    "'; drop table members",
  ]) {
    const event = makeEvent(unknown);
    t.match(await client.ingest([event, makeEvent(member)]), {
      status: 404,
      body: {
        error: { code: "not_found", data: { accepted: 1, rejected: [{ index: 0, code: "not_found" }] } },
      },
    });
    t.match(await client.post("transaction/get", { external_id: event.external_id }), { status: 404 });
  }
});

t.test("respond-async is answered 202 with a batch id, and takes effect", async (t) => {
  const event = makeEvent(member);
  const answer = await client.ingest([event], { prefer: "respond-async" });
  t.match(answer, {
    status: 202,
    headers: { "preference-applied": "respond-async" },
    body: { status: "accepted", batch_id: /^batch_[0-9a-hjkmnp-tv-z]{26}\.[\w-]+$/, accepted: 1 },
  });
  t.match(await client.ingest([event]), { status: 200, body: { unchanged: 1 } }, "the queue keeps its order");
});

t.test("a batch that was answered 202 gives its result later", async (t) => {
  const [known, stranger] = [makeEvent(member), makeEvent("m_01h455vb4pex5vsknk084sn02q")];
  const { body } = await client.ingest([known, stranger], { prefer: "respond-async" });
  const ask = (id: string) => client.post("transaction.batch/get", { id });
  const answer = await waitFor(
    async () => {
      const answer = await ask(body.batch_id);
      return answer.body.status === "processed" && answer;
    },
    { message: "the batch is not processed" },
  );
  t.match(answer, {
    status: 200,
    body: {
      id: body.batch_id,
      accepted: 1,
      rejected: [{ index: 1, external_id: stranger.external_id, code: "not_found", reason: "not_found" }],
    },
  });
  const foreigner = new PublisherClient(pipeline.edge.url, (await pipeline.newPublisher()).token);
  t.match(await foreigner.post("transaction.batch/get", { id: body.batch_id }), { status: 404 });
  const [name, sealed] = body.batch_id.split(".");
  for (const id of [
    "batch_01h455vb4pex5vsknk084sn02q",
    `batch_01h455vb4pex5vsknk084sn02q.${sealed}`,
    name,
    body.batch_id.slice(0, -1),
    `${body.batch_id.slice(0, -1)}${body.batch_id.endsWith("A") ? "B" : "A"}`,
  ]) {
    t.match(await ask(id), { status: 404 }, `an id that the service never gave out: ${id}`);
  }
});

t.test("a member's transactions are listed newest first, page by page", async (t) => {
  const [own] = (await client.enrol("listed")) as [string];
  const events = [3, 1, 4, 2, 5].map((day) => makeEvent(own, { authed_at: `2026-03-0${day}T10:00:00Z` }));
  for (const event of events) await client.ingest([event]);
  const newestFirst = [...events].sort((a, b) => b.authed_at.localeCompare(a.authed_at));
  const first = await client.post("transaction/list", { member_id: own, pagination: { limit: 3 } });
  const { cursor } = first.body.page;
  const second = await client.post("transaction/list", { member_id: own, pagination: { limit: 3, cursor } });
  const listed = [...first.body.data, ...second.body.data].map((entry) => entry.external_id);
  t.strictSame(
    listed,
    newestFirst.map((event) => event.external_id),
  );
  t.match(second.body.page, { page_size: 2, more: false, cursor: null });
  t.match(await client.post("transaction/list", { member_id: "m_unknown" }), { status: 404 });
});

t.test("5000 events in one request, a third of them resends, are counted exactly", async (t) => {
  const fresh = Array.from({ length: 3334 }, () => makeEvent(member));
  const events = [...fresh, ...fresh.slice(0, 1666)];
  t.match(await client.ingest(events), {
    status: 200,
    body: { accepted: 5000, created: 3334, updated: 0, unchanged: 1666 },
  });
});
