import t from "tap";
import { LIMITS } from "#contract";
import { makeEvent, type Pipeline, PublisherClient, type RawAnswer, startPipeline } from "#test-support";

t.setTimeout(300_000);

/** Callers of the loud organisation, each with one full request under way. */
const CALLERS = 6;
const QUIET_EVENTS = 12;

let pipeline: Pipeline;
t.before(async () => {
  pipeline = await startPipeline({ env: { STAMPEDE_STREAM_MAX_BYTES: String(64 * 1024 * 1024) } });
});
t.teardown(() => pipeline.stop());

for (const [mode, headers] of [
  ["waits for its answers", {}],
  ["asks for 202", { prefer: "respond-async" }],
] as const) {
  t.test(
    `share - beside an organisation that sends full requests and ${mode}, single events of another are taken`,
    async (t) => {
      const [loud, quiet] = [await newcomer(pipeline), await newcomer(pipeline)];
      let isOver = false;
      const answers: RawAnswer[] = [];
      const call = async (caller: number) => {
        for (let round = 0; !isOver; round++) {
          const events = Array.from({ length: LIMITS.eventsPerRequest }, (_, n) =>
            makeEvent(loud.member, { external_id: `loud-${mode}-${caller}-${round}-${n}` }),
          );
          answers.push(await loud.client.ingest(events, headers));
        }
      };
      const single = async () => (await quiet.client.ingest([makeEvent(quiet.member)])).status;
      t.equal(await single(), 200);
      const calls = Array.from({ length: CALLERS }, (_, caller) => call(caller));
      const quietAnswers: number[] = [];
      while (quietAnswers.length < QUIET_EVENTS) {
        quietAnswers.push(await single());
      }
      isOver = true;
      await Promise.all(calls);
      // 202 is no refusal: on a busy machine an answer may take longer than the edge waits.
      t.strictSame(
        quietAnswers.filter((status) => status !== 200 && status !== 202),
        [],
        "no request of the quiet one is refused",
      );
      const taken = answers.filter(({ status }) => status === 200 || status === 202);
      t.ok(taken.length > 0, "the loud one goes on");
      const reasons = answers
        .filter((answer) => !taken.includes(answer))
        .map(({ body }) => body.error.data.reason);
      t.strictSame(new Set(reasons), new Set(reasons.slice(0, 1).map(() => "organisation_share")));
    },
  );
}

async function newcomer(pipeline: Pipeline): Promise<{ client: PublisherClient; member: string }> {
  const { token } = await pipeline.newPublisher();
  const client = new PublisherClient(pipeline.edge.url, token);
  const [member] = (await client.enrol("one")) as [string];
  return { client, member };
}
