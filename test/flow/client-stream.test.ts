import t from "tap";
import { StampedeClient } from "#client";
import { makeEvent, type Pipeline, startPipeline } from "#test-support";

let pipeline: Pipeline;
t.before(async () => {
  pipeline = await startPipeline();
});
t.teardown(() => pipeline.stop());

/** The client's stream and the real service, as in the program of an integrator who knows members by ref. */
t.test("client stream - refs become members, and each event has the service's result", async (t) => {
  const baseUrl = pipeline.edge.url as string;
  const client = new StampedeClient({ baseUrl, token: pipeline.publisher.token });
  t.teardown(() => client.close());
  const { id: memberBaseId } = await client.createMemberbase("customers");
  const [ada = "", bob = ""] = await client.members({ memberBaseId }).resolveAll(["ada", "bob"]);
  t.strictSame(
    await client.members({ memberBaseId }).resolveAll(["bob", "ada"]),
    [bob, ada],
    "a second look-up gives the same ids",
  );
  t.equal((await client.getMember({ member_base_id: memberBaseId, ref: "ada" })).id, ada);

  const purchase = makeEvent(ada, { amount: 700, currency: "EUR" });
  const cleared = { ...purchase, cleared_at: "2026-03-02T10:00:00Z" };
  const events = [
    purchase,
    purchase,
    cleared,
    { ...purchase, reverted_at: "2026-03-03T10:00:00Z" },
    { ...purchase, member_id: bob },
    makeEvent("m_00000000000000000000000000"),
    makeEvent(ada, { bin: "4" }),
    makeEvent(bob),
  ];
  const outcomes = [];
  for await (const { outcome } of client.ingestAll(events)) outcomes.push(outcome);
  t.match(outcomes, [
    { outcome: "created" },
    { outcome: "unchanged" },
    { outcome: "updated" },
    {
      outcome: "rejected",
      code: "conflict",
      reason: "invalid_transition",
      from: "cleared",
      to: "reverted",
    },
    { outcome: "rejected", code: "conflict", reason: "identity_mismatch", field: "member_id" },
    { outcome: "rejected", code: "not_found", reason: "not_found" },
    { outcome: "rejected", code: "bad_request", path: "/bin" },
    { outcome: "created" },
  ]);

  const stream = client.stream({ respondAsync: true });
  const accepted = await stream.send(makeEvent(ada));
  t.match(accepted, { outcome: "accepted", batch_id: /^batch_/ });
  await stream.close();
  t.strictSame(stream.counts, {
    created: 0,
    updated: 0,
    unchanged: 0,
    ignored: 0,
    rejected: 0,
    accepted: 1,
  });
});

t.test(
  "client stream - with a token that may not write the stream fails, and the error has the events",
  async (t) => {
    const { token } = await pipeline.newPublisher("read");
    const client = new StampedeClient({ baseUrl: pipeline.edge.url as string, token });
    const event = makeEvent("m_00000000000000000000000000");
    await client.stream().write(event);
    await t.rejects(client.close(), {
      name: "UndeliveredError",
      events: [event],
      cause: { code: "authorization_error", status: 403 },
    });
  },
);
