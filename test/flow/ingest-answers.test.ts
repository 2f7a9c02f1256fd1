import t from "tap";
import { LIMITS } from "#contract";
import {
  CLEARED_AT,
  makeEvent,
  type Pipeline,
  PublisherClient,
  REVERTED_AT,
  startPipeline,
  waitFor,
} from "#test-support";

/** What the answer to `transaction/ingest` says: refusals, 202, and with `prefer: return=representation` the outcome of each event. */
let pipeline: Pipeline;
let client: PublisherClient;
let member: string;

const EACH = { prefer: "return=representation" };
const APPLIED = "return=representation";
/** A member that does not exist. */
const UNKNOWN_MEMBER = "m_01h455vb4pex5vsknk084sn02q";
const CLEARED = { cleared_at: CLEARED_AT };
const REVERTED = { reverted_at: REVERTED_AT };

t.before(async () => {
  pipeline = await startPipeline({ env: { STAMPEDE_PARTITIONS: "4" } });
  client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  [member] = (await client.enrol("each")) as [string];
});

t.teardown(() => pipeline.stop());

t.test("every event's letter stands at its place, over partitions and within a request", async (t) => {
  const known = makeEvent(member);
  t.match(await client.ingest([known], EACH), {
    status: 200,
    headers: { "preference-applied": APPLIED },
    body: { created: 1, outcomes: "c" },
  });
  const fresh = Array.from({ length: 20 }, () => makeEvent(member));
  const events = [
    ...fresh.slice(0, 10),
    { ...known, ...CLEARED },
    ...fresh.slice(10),
    known,
    ...fresh.slice(0, 2),
  ];
  t.match(await client.ingest(events, EACH), {
    status: 200,
    body: {
      created: 20,
      updated: 1,
      unchanged: 3,
      outcomes: `${"c".repeat(10)}u${"c".repeat(10)}nnn`,
    },
  });
});

t.test("a partial rejection has the letters too, with 404 and with 409", async (t) => {
  const [base, other] = [makeEvent(member), makeEvent(member)];
  const [cleared, reverted] = [
    { ...base, ...CLEARED },
    { ...base, ...REVERTED },
  ];
  const stranger = makeEvent(UNKNOWN_MEMBER);
  t.match(await client.ingest([cleared, stranger, other], EACH), {
    status: 404,
    headers: { "preference-applied": APPLIED },
    body: { error: { data: { accepted: 2, outcomes: "crc", rejected: [{ index: 1 }] } } },
  });
  t.match(await client.ingest([other, reverted, { ...other, ...CLEARED }], EACH), {
    status: 409,
    headers: { "preference-applied": APPLIED },
    body: { error: { data: { outcomes: "nru", rejected: [{ index: 1, reason: "invalid_transition" }] } } },
  });
});

t.test("a request that does not ask for results gets none", async (t) => {
  for (const headers of [{}, { prefer: "return=minimal" }]) {
    const answer = await client.ingest([makeEvent(member)], headers as Record<string, string>);
    t.match(answer, { status: 200, body: { created: 1 } });
    t.notOk("outcomes" in answer.body);
    t.notOk("preference-applied" in answer.headers);
  }
  const refused = await client.ingest([makeEvent(UNKNOWN_MEMBER)]);
  t.equal(refused.status, 404);
  t.notOk("outcomes" in refused.body.error.data);
  t.notOk("preference-applied" in refused.headers);
});

t.test("respond-async takes precedence over return=representation", async (t) => {
  for (const prefer of ["respond-async, return=representation", "return=representation,respond-async"]) {
    const answer = await client.ingest([makeEvent(member)], { prefer });
    t.match(answer, { status: 202, headers: { "preference-applied": "respond-async" } });
    t.notOk("outcomes" in answer.body);
  }
});

t.test("the answer to the largest request has a letter for every event", async (t) => {
  const fresh = Array.from({ length: LIMITS.eventsPerRequest - 1000 }, () => makeEvent(member));
  const events = fresh.flatMap((event, n) => (n % 4 === 0 ? [event, event] : [event]));
  t.equal(events.length, LIMITS.eventsPerRequest);
  const answer = await client.ingest(events, EACH);
  t.match(answer, { status: 200, body: { created: fresh.length, unchanged: 1000 } });
  t.equal(answer.body.outcomes, fresh.map((_, n) => (n % 4 === 0 ? "cn" : "c")).join(""));
});

t.test("requests that share a message each get their own letters", async (t) => {
  const answers = await Promise.all(
    Array.from({ length: 60 }, async (_, n) => {
      const event = makeEvent(member);
      const events = n % 3 === 0 ? [event, event, makeEvent(UNKNOWN_MEMBER)] : [event];
      const { status, body } = await client.ingest(events, n % 2 === 0 ? EACH : {});
      return { n, outcomes: status === 200 ? body.outcomes : body.error.data.outcomes };
    }),
  );
  for (const { n, outcomes } of answers) {
    t.equal(outcomes, n % 2 === 0 ? (n % 3 === 0 ? "cnr" : "c") : undefined);
  }
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
  for (const unknown of [UNKNOWN_MEMBER, "mb_01h455vb4pex5vsknk084sn02q", "7", "'; drop table members"]) {
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
  const [known, stranger] = [makeEvent(member), makeEvent(UNKNOWN_MEMBER)];
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
  t.match(await ask(body.batch_id.slice(0, -1)), { status: 404 }, "an id that the service never gave out");
});
