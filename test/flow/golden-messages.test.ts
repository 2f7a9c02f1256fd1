import { randomUUID } from "node:crypto";
import { jetstream } from "@nats-io/jetstream";
import t from "tap";
import { CORE_SUBJECTS, FLOW, OWNERS_SUBJECTS, REVOKED_SUBJECT, WEBHOOK_TEST_SUBJECT } from "#contract";
import { INGEST_VERSION } from "#contract/codec";
import { MESSAGE_VALIDATORS } from "#contract/validation";
import { decodeId } from "#domain";
import { decodeLetter } from "#nats/dead-letters";
import { connectTo, makeEvent, messageBody, type Pipeline } from "#test-support";
import { prepareBatch } from "../../services/ingest/src/batch/prepare-batch.ts";
import { readRecords } from "../../services/platform/src/handle-records.ts";
import { MerchantFilter } from "../../services/platform/src/rules/merchant-filter.ts";
import { Revisions } from "../../services/platform/src/rules/revisions.ts";
import { readOutcomes, readSettlements } from "../../services/rewards/src/read-entries.ts";
import { fits, GOLDEN_MESSAGES } from "./golden-messages.ts";
import { LoyaltyLoop } from "./loyalty-loop.ts";

t.setTimeout(400_000);

t.test("golden messages - every hop and every core subject has one, and so has each answer", async (t) => {
  const answers = CORE_SUBJECTS.filter(({ isAnswered }) => isAnswered);
  const kinds = [
    ...Object.values(FLOW).map(({ subject }) => subject),
    ...CORE_SUBJECTS.map(({ subject }) => subject),
    ...answers.map(({ subject }) => `${subject} answered`),
  ];
  t.strictSame(Object.keys(GOLDEN_MESSAGES).sort(), kinds.sort());
});

t.test(
  "golden messages - a message with an extra field, a missing one or one of another type does not fit",
  async (t) => {
    const least = { a: 1, parts: [{ x: "", y: null }], none: null };
    const most = { ...least, b: "", none: 1, parts: [{ x: "", y: "" }] };
    for (const said of [least, most, { ...least, parts: [] }, { ...most, none: null }]) {
      t.ok(fits(said, least, most), JSON.stringify(said));
    }
    const { a: _, ...less } = least;
    const wrong = [less, { ...least, c: 1 }, { ...least, a: "1" }, { ...least, a: null }, [least]];
    for (const said of [...wrong, { ...least, parts: [{ x: "" }] }, { ...least, parts: [{ x: "", y: 1 }] }]) {
      t.notOk(fits(said, least, most), JSON.stringify(said));
    }
  },
);

/**
 * Read a message as its receivers do, and return whether they understood all of it. Other receivers read
 * without a check.
 */
const READERS: Readonly<Record<string, (data: Buffer, message: unknown) => boolean>> = {
  ingest: (data) => prepareBatch({ messages: [data], key: "" }).heads[0]?.events === 1,
  "platform.transactions": (data) => {
    const { faults, invalid } = readRecords([data], {
      routes: new Map(),
      merchants: new MerchantFilter(new Map()),
      prepared: { programs: new Revisions([]), deals: new Revisions([]) },
      named: new Set(),
    });
    return faults[0] === undefined && invalid.length === 0;
  },
  outcomes: (data) => {
    const { faults, invalid, unknown } = readOutcomes([data]);
    return faults[0] === undefined && invalid.length + unknown.length === 0;
  },
  settlement: (data) => readSettlements([data]).settlements.length === 1,
  config: (_data, message) => MESSAGE_VALIDATORS.config(message),
  dead: (_data, letter) => {
    const { can_be_redriven } = decodeLetter({ sequence: 1, at: new Date(0), letter: letter as never });
    const { row, outcome, settlement } = letter as Readonly<Record<string, unknown>>;
    return can_be_redriven === [row, outcome, settlement].some((one) => one !== undefined);
  },
};

t.test("golden messages - messages with the fewest fields and with all are read whole", async (t) => {
  for (const [subject, read] of Object.entries(READERS)) {
    for (const message of GOLDEN_MESSAGES[subject]?.flatMap(({ least, most }) => [least, most]) ?? []) {
      t.ok(read(Buffer.from(JSON.stringify(message)), message), `${subject} ${JSON.stringify(message)}`);
    }
  }
});

const RULES = { merchant_ids: ["ROASTERY-1"] };
const LOOPBACK = {
  STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback",
  STAMPEDE_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
};

t.test("golden messages - the services' own messages have their form", async (t) => {
  const loop = await LoyaltyLoop.open(t, { env: LOOPBACK });
  await loop.pipeline.start("webhooks");
  const heard = await listen(loop.pipeline);
  t.teardown(() => heard.close());
  const webhook = await tellAll(loop);
  for (const asked of [webhook, randomUUID()]) {
    const request = { organisation: loop.pipeline.publisher.organisationId, webhook: asked };
    await heard.ask(WEBHOOK_TEST_SUBJECT, JSON.stringify(request));
  }
  await heard.ask(REVOKED_SUBJECT, "");
  for (const subject of Object.values(OWNERS_SUBJECTS)) await heard.ask(subject, "");
  // A process that ends gives up its partitions, and says so.
  await loop.pipeline.ingest.stop();
  await heard.flush();
  for (const [kind, forms] of Object.entries(GOLDEN_MESSAGES)) {
    const messages = heard.messages.get(kind) ?? [];
    // An operator puts a dead event back: `readDeadLetters` writes the message of the type.
    if (kind !== FLOW.ingest.subject) t.ok(messages.length > 0, `${kind} was heard`);
    const strange = messages.filter((said) => !forms.some(({ least, most }) => fits(said, least, most)));
    t.strictSame(strange, [], kind);
  }
});

/** Makes every service send each of its messages. @returns the UUID of a webhook */
async function tellAll(loop: LoyaltyLoop): Promise<string> {
  const { pipeline, integrator } = loop;
  await loop.opensShop("Roastery", "ROASTERY-1");
  const program = await loop.offers("loyalty-program", {
    name: "Coffee",
    qualifying_threshold: 1,
    reward_config: { type: "fixed-reward", amount: 300 },
    rules: { ...RULES, currency: "EUR" },
  });
  const deal = await loop.offers("deal", {
    name: "Cake",
    reward_config: { type: "percent", percent: 10, max_amount: 500 },
    rules: RULES,
    ends_at: "2090-01-01T00:00:00Z",
  });
  const ada = await loop.joins("ada");
  await loop.enrols(ada, program);
  await loop.saves(ada, deal);
  const changes = { merchant_id: "ROASTERY-1", statement_descriptor: "Coffee" };
  const purchase = await loop.buys(ada, "A", changes);
  await loop.paid(purchase);
  await loop.settles();
  await loop.changes(purchase, { cleared_at: "2026-03-02T10:00:00Z" });
  const reverted = await loop.buys(ada, "B", changes);
  await loop.changes(reverted, { reverted_at: "2026-03-02T10:00:00Z" });
  // A rejection of each kind, ignored fields, each outcome by itself, and an outcome for which no request
  // waits.
  await integrator.ingest([
    makeEvent("m_unknown"),
    { ...purchase.event, auth_code: "OTHER" },
    { ...purchase.event, reverted_at: "2026-03-02T10:00:00Z" },
    { ...purchase.event, authed_at: "2026-03-01T11:00:00Z" },
  ]);
  await integrator.ingest([makeEvent(ada)], { prefer: "return=representation" });
  await integrator.ingest([makeEvent("m_unknown")], { prefer: "respond-async" });
  const { id } = await loop.publisher("api-token/create", { access: "read", description: "for a moment" });
  await loop.publisher("api-token/revoke", { id });
  const hook = { url: `${pipeline.edge.url}/hook`, events: ["cashback.created"] };
  const webhook = await loop.publisher("webhook/create", hook);
  await loop.publisher("webhook/test", { id: webhook.id });
  await loop.platform("deal/delete", { id: deal });
  await loop.platform("loyalty-program/delete", { id: program });
  await publishWrong(pipeline);
  await loop.settles();
  return decodeId("whk", webhook.id) as string;
}

/** Outcomes that no schema allows, and bytes that are no message at all. */
async function publishWrong(pipeline: Pipeline): Promise<void> {
  const nats = await connectTo(pipeline);
  const subject = `${pipeline.streamPrefix}${FLOW.outcomes.subject}.0`;
  for (const payload of ['{"v":1,"outcomes":[{"type":"none"}]}', "{"]) {
    await jetstream(nats).publish(subject, payload);
  }
  await nats.close();
}

/** Records all messages on the pipeline's subjects, and the answers. */
async function listen(pipeline: Pipeline) {
  const nats = await connectTo(pipeline);
  const messages = new Map<string, unknown[]>();
  const kinds = [...Object.values(FLOW), ...CORE_SUBJECTS].map(({ subject }) => subject);
  const hear = (kind: string, data: Uint8Array): void => {
    if (kind === FLOW.ingest.subject && data[0] === INGEST_VERSION) return;
    const text = Buffer.from(data).toString();
    // The test itself has sent this one.
    if (text === "{" || text.includes('"none"')) return;
    const heard = messages.get(kind) ?? [];
    messages.set(kind, heard);
    heard.push(text === "" ? "" : messageBody(data));
  };
  // The prefix is a part of the first token.
  nats.subscribe(">", {
    callback: (_error, { subject, data }) => {
      if (!subject.startsWith(pipeline.streamPrefix)) return;
      const own = subject.slice(pipeline.streamPrefix.length);
      const kind = kinds.find((one) => own === one || own.startsWith(`${one}.`));
      if (kind !== undefined) hear(kind, data);
    },
  });
  await nats.flush();
  return {
    messages,
    flush: () => nats.flush(),
    close: () => nats.close(),
    ask: async (subject: string, payload: string) => {
      const answer = await nats.request(pipeline.streamPrefix + subject, payload, { timeout: 10_000 });
      hear(`${subject} answered`, answer.data);
    },
  };
}
