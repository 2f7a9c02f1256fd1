import t from "tap";
import { type Publisher, PublisherClient, startPipeline, waitFor } from "#test-support";

t.test(
  "an organisation with slow statements waits in its own line, and only its requests are refused",
  async (t) => {
    const pipeline = await startPipeline({ begin: ["edge"] });
    t.teardown(() => pipeline.stop());
    const clientOf = ({ token }: Publisher) => new PublisherClient(pipeline.edge.url, token);
    const slow = clientOf(pipeline.publisher);
    const quiet = clientOf(await pipeline.newPublisher());
    t.equal((await slow.post("member-base/list", {})).status, 200);
    let answered = 0;
    const exports = await pipeline.store.begin(async (sql) => {
      await sql`lock table transactions in access exclusive mode`;
      const exports = Array.from({ length: 60 }, () =>
        slow.post("transaction/export", { pagination: { skip: 100_000 } }).finally(() => answered++),
      );
      const share = async () => {
        const [{ count }] = await pipeline.store<[{ count: number }]>`
          select count(*) from pg_locks
          where not granted and relation = 'transactions'::regclass
            and database = (select oid from pg_database where datname = current_database())`;
        return count;
      };
      await waitFor(async () => (await share()) === 6, {
        message: "its share of the connections, and no more, waits for the lock",
      });
      const made = await quiet.post("member-base/create", { name: "quiet" });
      t.equal(made.status, 200);
      for (let i = 0; i < 5; i++) {
        t.match(await quiet.post("member-base/list", {}), { status: 200, body: { page: { total: 1 } } });
      }
      const late = clientOf(await pipeline.newPublisher());
      t.equal((await late.post("member-base/list", {})).status, 200, "a token that the edge has not met");
      // Requests in its line are refused after five seconds; a busy machine may take longer to get here.
      t.equal(await share(), 6, "all that while the slow one's statements wait");
      await waitFor(() => answered >= 54, { message: "those that wait for a connection are refused" });
      return exports;
    });
    const answers = await Promise.all(exports);
    const refused = answers.filter(({ body }) => body.error?.data.reason === "too_many_waiting");
    t.equal(refused.length, 54);
    for (const { status, headers, body } of refused) {
      t.match(
        { status, headers, body },
        { status: 503, headers: { "retry-after": "1" }, body: { error: { code: "unavailable" } } },
      );
    }
    t.equal((await slow.post("transaction/export", {})).status, 200, "and then its requests are answered");
  },
);
