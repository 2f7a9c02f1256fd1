import t from "tap";
import { uuidv7 } from "uuidv7";
import { encodeId } from "#domain";
import { type Pipeline, PublisherClient, startPipeline, waitFor } from "#test-support";

/** Integrators may ask for events instead of being called (contract, section 12). */

let pipeline: Pipeline;
let client: PublisherClient;

t.before(async () => {
  pipeline = await startPipeline();
  client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
});
t.teardown(() => pipeline.stop());

const ask = (request: object = {}) => client.call("event/list", request);
const idsOf = ({ data }: { data: { event_id: string }[] }) => data.map(({ event_id }) => event_id);

/** Writes events of the organisation, in this order. @returns their ids */
async function happen(count: number, fields: { ref?: string; type?: string } = {}): Promise<string[]> {
  const { ref, type = "transaction.rejected" } = fields;
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const id = uuidv7();
    const event = {
      event_id: encodeId("evt", id),
      type,
      timestamp: "2026-03-01T10:00:00Z",
      transaction_ref: ref ?? `ref ${i} "é"`,
      code: "not_found",
      reason: "not_found",
      batch_id: encodeId("batch", id),
    };
    await pipeline.store`
      insert into events (at, id, organisation_id, type, body)
      values (now(), ${id}, ${pipeline.publisher.organisationId}, ${type}, ${JSON.stringify(event)})`;
    ids.push(event.event_id);
  }
  return ids;
}

t.test(
  "events - while no process settles them the list is empty, and its cursor leads to them later",
  async (t) => {
    const empty = await ask();
    t.match(empty, { data: [], page: { page_size: 0, cursor: String, more: false } });
    const ids = await happen(3);
    const waiting = await ask({ after: empty.page.cursor });
    t.strictSame(waiting.data, []);
    await pipeline.start("webhooks");
    let { cursor } = waiting.page;
    const got: string[] = [];
    await waitFor(
      async () => {
        const { data, page } = await ask({ after: cursor });
        cursor = page.cursor;
        got.push(...idsOf({ data }));
        return got.length >= ids.length;
      },
      { message: "the events did not come" },
    );
    t.strictSame(got, ids, "without any webhook");
    t.strictSame((await ask({ after: cursor })).data, []);
    t.strictSame(idsOf(await ask({ after: null })), ids);
  },
);

t.test("events - by type and by transaction, page by page", async (t) => {
  const { page } = await ask();
  const rejected = await happen(4, { ref: "mine" });
  const tests = await happen(3, { type: "webhook.test" });
  const from = { after: page.cursor };
  await waitFor(async () => (await ask()).data.at(-1).event_id === tests.at(-1), {
    message: "they are settled",
  });
  const late = (await ask({ types: ["webhook.test"] })).page.cursor;
  t.strictSame(idsOf(await ask({ transaction_ref: "mine", types: ["transaction.rejected"] })), rejected);
  t.strictSame(idsOf(await ask({ ...from, limit: 5 })), [...rejected, ...tests].slice(0, 5));
  const byType = { types: ["webhook.test"] };
  const walked: string[] = [];
  for (let after: string | undefined, more = true; more; ) {
    const part = await ask({ ...byType, limit: 2, ...(after !== undefined && { after }) });
    walked.push(...idsOf(part));
    ({ cursor: after, more } = part.page);
  }
  t.strictSame(walked.slice(-3), tests);
  t.strictSame((await ask({ ...byType, after: late })).data, []);
  const since = new Date(Date.now() + 3_600_000).toISOString();
  t.strictSame((await ask({ since })).data, []);
});

t.test(
  "events - a cursor of other filters, of another organisation, or of a wrong form is refused",
  async (t) => {
    const { cursor } = (await ask({ types: ["webhook.test", "cashback.created"] })).page;
    t.ok(
      await ask({ types: ["cashback.created", "webhook.test"], after: cursor }),
      "the order of types does not matter",
    );
    const other = new PublisherClient(pipeline.edge.url, (await pipeline.newPublisher()).token);
    t.strictSame((await other.post("event/list", {})).body.data, []);
    const refused = {
      status: 400,
      body: { error: { code: "bad_request", data: { issues: [{ path: "/after" }] } } },
    };
    for (const request of [
      { after: cursor },
      { after: cursor, types: ["webhook.test"] },
      { after: cursor, types: ["webhook.test", "cashback.created"], transaction_ref: "x" },
      { after: "" },
      { after: `${cursor}A` },
      { after: (await client.post("deal/list", {})).body.page.cursor ?? "x" },
    ]) {
      t.match(await client.post("event/list", request), refused, JSON.stringify(request));
    }
    const same = { types: ["webhook.test", "cashback.created"], after: cursor };
    t.match(await other.post("event/list", same), refused);
  },
);

t.test(
  "events - an expired cursor, or one that a restored database does not know, names the oldest",
  async (t) => {
    const { cursor } = (await ask({ limit: 1 })).page;
    const last = (await ask()).page.cursor;
    await pipeline.store`update webhook_horizon set swept = sequence`;
    const { status, body } = await client.post("event/list", { after: cursor });
    t.match(
      { status, body },
      {
        status: 400,
        body: {
          error: {
            code: "bad_request",
            message: /older than the 30 days/,
            data: { reason: "cursor_expired", oldest_cursor: String, issues: [{ path: "/after" }] },
          },
        },
      },
    );
    t.ok(await ask({ after: body.error.data.oldest_cursor }), "it reads on from the oldest kept event");
    t.ok(await ask({ after: last }));
  },
);
