import t, { type Test } from "tap";
import { type ClientOptions, StampedeClient } from "../index.ts";
import {
  externalId,
  type FakeStampedeOptions,
  recordId,
  refuse,
  startFakeStampede,
  transactionEvent,
} from "./index.ts";

async function scene(t: Test, options: FakeStampedeOptions = {}, more: Partial<ClientOptions> = {}) {
  const fake = await startFakeStampede(options);
  const client = new StampedeClient({ baseUrl: fake.url, token: fake.token, ...more });
  t.teardown(async () => {
    await client.close();
    await fake.close();
  });
  return { fake, client };
}

t.test("fake - requests are validated as the service validates them", async (t) => {
  const { fake, client } = await scene(t);
  const events = [
    transactionEvent({ bin: "12" }),
    transactionEvent(),
    transactionEvent({ currency: "XXX1" }),
  ];
  await t.rejects(client.ingest(events), {
    code: "bad_request",
    data: { issues: [{ path: "/events/0/bin" }, { path: "/events/2/currency" }] },
  });
  await t.rejects(client.call("member/get", {} as { id: string }), { code: "bad_request" });
  const stranger = new StampedeClient({ baseUrl: fake.url, token: "other" });
  t.teardown(() => stranger.close());
  await t.rejects(stranger.ingest([transactionEvent()]), { code: "authentication_error" });
  t.equal(fake.events.length, 0);
  t.equal((await fetch(`${fake.url}/publisher.v1/transaction/ingest`)).status, 405);
  t.equal((await fetch(`${fake.url}/publisher.v1/transaction/swallow`, { method: "POST" })).status, 404);
});

t.test("fake - each fault is met by one request, and the client gets its events through", async (t) => {
  const { fake, client } = await scene(t);
  fake.fail(
    { kind: "unavailable" },
    { kind: "rate_limited", retryAfterSeconds: 0 },
    { kind: "cut" },
    { kind: "unknown" },
  );
  const event = transactionEvent();
  t.match(await client.ingest([event]), { created: 1 });
  t.equal(fake.requests.length, 5);
  t.strictSame(fake.events, [event]);
});

t.test("fake - an event that took effect without an answer is unchanged when it comes again", async (t) => {
  const { fake, client } = await scene(t);
  for (const kind of ["cut", "unknown"] as const) {
    const event = transactionEvent();
    fake.fail({ kind, taken: true });
    t.match(await client.ingest([event]), { created: 0, unchanged: 1 }, kind);
    t.match(fake.transaction(event.external_id), { state: "authorized", amount: event.amount });
  }
});

t.test("fake - a 202 applies the events, and the batch tells what became of them", async (t) => {
  const { fake, client } = await scene(t, { knowsMembers: true });
  fake.fail({ kind: "accepted" });
  const unknown = await client.ingest([transactionEvent()]);
  const asked = await client.ingest([transactionEvent()], { respondAsync: true });
  for (const result of [unknown, asked]) {
    if (result.status !== "accepted") return t.fail(result.status);
    const batch = await client.call("transaction.batch/get", { id: result.batch_id });
    t.match(batch, { status: "processed", accepted: 0, rejected: [{ index: 0, code: "not_found" }] });
  }
  await t.rejects(client.call("transaction.batch/get", { id: recordId("batch") }), { code: "not_found" });
});

t.test("fake - a slow answer is the right one, and a client may give up waiting for it", async (t) => {
  const { fake, client } = await scene(t, {}, { timeoutMs: 50 });
  fake.fail({ kind: "slow", ms: 5_000 });
  const event = transactionEvent();
  t.match(await client.ingest([event]), { unchanged: 1 }, "the first attempt took effect");
});

t.test("fake - faults may depend on the request", async (t) => {
  const { fake, client } = await scene(t, {}, { retryForMs: 0 });
  fake.failWhen(({ route }) =>
    route === "deal/list" ? { kind: "unavailable", retryAfterSeconds: 7 } : undefined,
  );
  await t.rejects(client.call("deal/list", {}), { code: "unavailable", retryAfterSeconds: 7 });
  t.match(await client.call("loyalty-program/list", {}), { data: [], page: { cursor: null } });
});

t.test("fake - other routes answer what the test says, once for each idempotency key", async (t) => {
  const { fake, client } = await scene(t, {}, { retryForMs: 0 });
  const request = { loyalty_program_id: recordId("lp"), member_id: recordId("m") };
  await t.rejects(client.call("wallet.stamp-collection/create", request), {
    message: /give it one with answer\(/,
  });
  let made = 0;
  fake.answer("wallet.stamp-collection/create", ({ loyalty_program_id }) => {
    if (made > 0) throw refuse("conflict", { reason: "already_enrolled" });
    made++;
    return { id: recordId("sc"), loyalty_program_id, created_at: "", unredeemed_purchases: 0 };
  });
  const first = await client.call("wallet.stamp-collection/create", request, { idempotencyKey: "k" });
  t.strictSame(await client.call("wallet.stamp-collection/create", request, { idempotencyKey: "k" }), first);
  await t.rejects(client.call("wallet.stamp-collection/create", request), {
    code: "conflict",
    data: { reason: "already_enrolled" },
  });
  const other = { ...request, member_id: recordId("m") };
  await t.rejects(client.call("wallet.stamp-collection/create", other, { idempotencyKey: "k" }), {
    code: "conflict",
    data: { reason: "idempotency_key_reused" },
  });
});

t.test("builders - external ids sort by their time", async (t) => {
  const ids = [1, 2, 3].map((day) => externalId(new Date(Date.UTC(2026, 0, day))));
  t.strictSame(ids.toSorted(), ids);
  t.match(ids[0], /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
