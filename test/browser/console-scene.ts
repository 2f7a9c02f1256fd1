import { randomUUID } from "node:crypto";
import type { Test } from "tap";
import { EVENT_TYPES, type TransactionEvent } from "#contract";
import { transactionIdentifiers } from "#domain";
import { type ConsoleRole, makeConsoleLink } from "#publisher-db";
import {
  makeEvent,
  type Pipeline,
  PlatformClient,
  PublisherClient,
  type RawAnswer,
  type ServiceProcess,
  startPipeline,
  startWebhookReceiver,
  waitFor,
} from "#test-support";

const SHOP = "M-COFFEE-1";
/** Occur nowhere else by chance: nothing that the console answers may hold them. */
export const CARD = { authCode: "CANARY7Q", bin: "98170463" };
/** Ingest cannot store what is paid there, while the scene's constraint stands. */
const REFUSED_MERCHANT = "M-REFUSED";

const DISPLAY_CONTENT = {
  title: "Coffee on the house",
  image: "https://example.com/coffee.jpg",
  summary: "The fifth coffee is free",
  description: "Pay with your card, and the fifth coffee is paid back.",
  terms: "One stamp for each purchase.",
};

/** What is there to be seen, by the ids and names under which the console shows it. */
export interface ConsoleScene {
  readonly pipeline: Pipeline;
  readonly console: ServiceProcess & { readonly url: string };
  readonly publisher: PublisherClient;
  readonly memberId: string;
  /** A member with thousands of purchases. */
  readonly busyMemberId: string;
  /** A purchase that earned a stamp, and one that earned nothing. */
  readonly stamped: TransactionEvent;
  readonly unstamped: TransactionEvent;
  readonly programId: string;
  readonly webhookId: string;
  readonly failingWebhookId: string;
  /** Buys once more, so that the live page has something to show. */
  buy(count: number): Promise<void>;
  /** The address that lets one browser in, once. @param organisationId UUID; default: the scene's */
  link(role: ConsoleRole, organisationId?: string): Promise<string>;
  /** Another organisation, of which there is nothing. @returns its UUID */
  readonly emptyOrganisationId: string;
}

/** The whole of it as processes, with a console, and everything in it made through the APIs. */
export async function setConsoleScene(t: Test): Promise<ConsoleScene> {
  const pipeline = await startPipeline({
    env: { STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback", STAMPEDE_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8" },
  });
  t.teardown(() => pipeline.stop());
  const [platform] = await Promise.all([
    pipeline.start("platform"),
    pipeline.start("rewards"),
    pipeline.start("webhooks"),
  ]);
  const [platformToken, empty] = await Promise.all([pipeline.newPlatformToken(), pipeline.newPublisher()]);
  await nameOrganisation(pipeline, pipeline.publisher.organisationId, "Harbour Bank");
  await nameOrganisation(pipeline, empty.organisationId, "A bank without customers");
  const shop = await openShop(new PlatformClient(platform.url, platformToken));
  const publisher = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  const people = await meetMembers(publisher, shop.programId);
  const hooks = await listenForEvents(t, publisher);
  const purchases = await buyCoffee(publisher, shop, people);
  await killLetters(pipeline, publisher, people.memberId);
  const console = await pipeline.start("console", {
    STAMPEDE_CONSOLE_TOKENS: `${pipeline.publisher.token},${empty.token}`,
    STAMPEDE_CONSOLE_PLATFORM_TOKEN: platformToken,
    STAMPEDE_CONSOLE_PUBLISHER_URL: String(pipeline.edge.url),
    STAMPEDE_CONSOLE_PLATFORM_URL: String(platform.url),
    STAMPEDE_CONSOLE_OPERATOR_NATS_URL: pipeline.natsUrl,
  });
  const { url } = console;
  if (url === undefined) throw new Error("the console has no URL");
  return {
    pipeline,
    console: { ...console, url },
    publisher,
    ...people,
    ...purchases,
    ...hooks,
    programId: shop.programId,
    buy: (count) => succeeds(publisher.ingest(coffees(people.memberId, count))).then(() => {}),
    link: (role, organisationId = pipeline.publisher.organisationId) =>
      makeConsoleLink(pipeline.store, url, {
        user: `test ${role}`,
        role,
        organisationId: role === "support" ? organisationId : undefined,
      }),
    emptyOrganisationId: empty.organisationId,
  };
}

/** As people see it; they are numbered otherwise. */
function nameOrganisation({ store }: Pipeline, id: string, name: string) {
  return store`update organisations set name = ${name} where id = ${id}`;
}

async function succeeds(answer: Promise<RawAnswer>): Promise<RawAnswer["body"]> {
  const { status, body } = await answer;
  if (status !== 200 && status !== 202) throw new Error(JSON.stringify(body));
  return body;
}

interface Shop {
  readonly programId: string;
  pay(events: readonly TransactionEvent[]): Promise<void>;
}

async function openShop(operator: PlatformClient): Promise<Shop> {
  const retailer = await succeeds(
    operator.post("retailer/upsert", { name: "Coffee Corner", merchant_ids: [SHOP, REFUSED_MERCHANT] }),
  );
  const program = await succeeds(
    operator.post("loyalty-program/upsert", {
      name: "Coffee card",
      qualifying_threshold: 5,
      reward_config: { type: "fixed-reward", amount: 350 },
      display_content: DISPLAY_CONTENT,
      rules: { merchant_ids: [SHOP], min_amount: 200, currency: "EUR" },
    }),
  );
  await succeeds(
    operator.post("deal/upsert", {
      name: "Ten per cent this month",
      reward_config: { type: "percent", percent: 10, max_amount: 500 },
      display_content: { ...DISPLAY_CONTENT, title: "Ten per cent off" },
      rules: { merchant_ids: [SHOP] },
    }),
  );
  return {
    programId: program.id,
    async pay(events) {
      const payments = events.map(paymentOf);
      await succeeds(operator.post("payment/ingest", { retailer_id: retailer.id, payments }));
    },
  };
}

/** What the retailer knows of a purchase: it hashes the same card data. */
function paymentOf(event: TransactionEvent) {
  const { auth_code: authCode, network, bin, merchant_id: merchantId } = event;
  const { six } = transactionIdentifiers({ authCode, network, bin, merchantId });
  return {
    payment_id: `till-${event.external_id}`,
    identifiers: [six],
    amount: event.amount ?? 0,
    currency: event.currency ?? "EUR",
    paid_at: event.authed_at,
  };
}

async function meetMembers(publisher: PublisherClient, programId: string) {
  const [memberId, busyMemberId] = (await publisher.enrol("ada@example.com", "busy")) as [string, string];
  const enrolment = { loyalty_program_id: programId, member_id: memberId };
  await waitFor(
    async () => (await publisher.post("wallet.stamp-collection/create", enrolment)).status === 200,
    { message: "the program does not reach the publisher" },
  );
  const [deal] = (await succeeds(publisher.post("deal/list", {}))).data;
  if (deal !== undefined)
    await succeeds(publisher.post("wallet.clip/save", { deal_id: deal.id, member_id: memberId }));
  return { memberId, busyMemberId };
}

/** One webhook that hears everything, and one whose receiver always fails. */
async function listenForEvents(t: Test, publisher: PublisherClient) {
  const receiver = await startWebhookReceiver();
  t.teardown(() => receiver.close());
  receiver.follow(({ path }) =>
    path === "/broken"
      ? { kind: "answer", status: 503, body: "the till is being restarted" }
      : { kind: "answer", status: 200, body: "thanks" },
  );
  const register = async (path: string, description: string) =>
    (
      await succeeds(
        publisher.post("webhook/create", { url: `${receiver.url}${path}`, events: EVENT_TYPES, description }),
      )
    ).id as string;
  return {
    webhookId: await register("/stampede", "Loyalty app"),
    failingWebhookId: await register("/broken", "Old till"),
  };
}

/** Purchases in the shop at this time, each with a card of its own. */
function coffees(
  memberId: string,
  count: number,
  changes: Partial<TransactionEvent> = {},
): TransactionEvent[] {
  return Array.from({ length: count }, () =>
    makeEvent(memberId, {
      auth_code: CARD.authCode + randomUUID().slice(0, 8),
      bin: CARD.bin,
      merchant_id: SHOP,
      amount: 450,
      currency: "EUR",
      authed_at: new Date().toISOString(),
      ...changes,
    }),
  );
}

const BUSY_PURCHASES = 3000;

async function buyCoffee(
  publisher: PublisherClient,
  shop: Shop,
  { memberId, busyMemberId }: { memberId: string; busyMemberId: string },
) {
  const counted = coffees(memberId, 7);
  const [cheap] = coffees(memberId, 1, { amount: 120 }) as [TransactionEvent];
  await succeeds(publisher.ingest([...counted, cheap]));
  await shop.pay([...counted, cheap]);
  await succeeds(publisher.ingest(coffees(busyMemberId, BUSY_PURCHASES, { merchant_id: "M-ELSEWHERE" })));
  const [stamped] = counted as [TransactionEvent];
  await waitFor(
    async () => {
      const { body } = await publisher.post("event/list", { types: ["cashback.created"] });
      return body.data.length > 0;
    },
    { message: "the card is not full" },
  );
  return { stamped, unstamped: cheap };
}

/** How many dead letters there are. */
export const DEAD_LETTERS = 3;

/** Events that the database refuses, as long as the constraint stands. */
async function killLetters(pipeline: Pipeline, publisher: PublisherClient, memberId: string): Promise<void> {
  await pipeline.store`
    alter table transactions add constraint scene_refuses check (merchant_id <> 'M-REFUSED') not valid`;
  const poison = coffees(memberId, DEAD_LETTERS, { merchant_id: REFUSED_MERCHANT });
  await succeeds(publisher.post("transaction/ingest", { events: poison }, { prefer: "respond-async" }));
  const isDead = async () => {
    const { body } = await pipeline.ingest.ops("/metrics");
    const line = body.split("\n").find((text) => /^stampede_ingest_events_total\{.*result="dead"/.test(text));
    return Number(line?.split(" ").at(-1)) === DEAD_LETTERS;
  };
  await waitFor(isDead, { message: "the events are not dead" });
}

/** Lets what died be stored from now on. */
export async function mendDatabase({ pipeline }: ConsoleScene): Promise<void> {
  await pipeline.store`alter table transactions drop constraint scene_refuses`;
}
