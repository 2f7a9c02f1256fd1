import type { Test } from "tap";
import { EVENT_TYPES, type TransactionEvent } from "#contract";
import { type ConsoleRole, makeConsoleLink } from "#publisher-db";
import {
  answer,
  type Pipeline,
  PlatformClient,
  PublisherClient,
  type ServiceName,
  type ServiceProcess,
  startPipeline,
  startWebhookReceiver,
  waitFor,
} from "#test-support";
import { buy, coffees, openShop, REFUSED_MERCHANT, type Shop, succeeds } from "./console-shop.ts";
import { OpsDoor } from "./ops-door.ts";

/** The contents of the scene, by the ids and names under which the console shows them. */
export interface ConsoleScene {
  readonly pipeline: Pipeline;
  readonly console: ServiceProcess & { readonly url: string };
  readonly publisher: PublisherClient;
  readonly memberId: string;
  /** A member that the long lists are filled for, and one with nothing. */
  readonly busyMemberId: string;
  readonly idleMemberId: string;
  /** A purchase that earned a stamp, and one that earned nothing. */
  readonly stamped: TransactionEvent;
  readonly unstamped: TransactionEvent;
  readonly shop: Shop;
  readonly webhookId: string;
  readonly failingWebhookId: string;
  /** A delivery of the failing webhook. */
  readonly deliveryId: string;
  /** Makes this many more purchases, with their payments. */
  buy(count: number): Promise<void>;
  /** Ends the process of a service with SIGKILL; its operations address answers no more … */
  kill(service: ServiceName): Promise<void>;
  /** … until another process takes its place. */
  replace(service: ServiceName): Promise<void>;
  /** The address that lets one browser in, once. @param organisationId UUID; default: the scene's */
  link(role: ConsoleRole, organisationId?: string): Promise<string>;
  /** Another organisation, which is empty. @returns its UUID */
  readonly emptyOrganisationId: string;
}

/** The whole pipeline as processes, with a console, and all its data made through the APIs. */
export async function setConsoleScene(t: Test): Promise<ConsoleScene> {
  const pipeline = await startPipeline({
    env: { STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback", STAMPEDE_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8" },
  });
  t.teardown(() => pipeline.stop());
  const [platform, rewards, webhooks] = await Promise.all([
    pipeline.start("platform"),
    pipeline.start("rewards"),
    pipeline.start("webhooks"),
  ]);
  const doors = await openDoors(t, [pipeline.edge, pipeline.ingest, platform, rewards, webhooks]);
  const [platformToken, empty] = await Promise.all([pipeline.newPlatformToken(), pipeline.newPublisher()]);
  await nameOrganisation(pipeline, pipeline.publisher.organisationId, "Harbour Bank");
  await nameOrganisation(pipeline, empty.organisationId, "A bank without customers");
  const shop = await openShop(new PlatformClient(platform.url, platformToken));
  const publisher = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  const people = await meetMembers(publisher, shop);
  const hooks = await listenForEvents(t, publisher);
  const purchases = await buyCoffee(publisher, shop, people.memberId);
  await killLetters(pipeline, publisher, people.memberId);
  const console = await pipeline.start("console", {
    STAMPEDE_CONSOLE_TOKENS: `${pipeline.publisher.token},${empty.token}`,
    STAMPEDE_CONSOLE_PLATFORM_TOKEN: platformToken,
    STAMPEDE_CONSOLE_PUBLISHER_URL: String(pipeline.edge.url),
    STAMPEDE_CONSOLE_PLATFORM_URL: String(platform.url),
    STAMPEDE_CONSOLE_OPERATOR_NATS_URL: pipeline.natsUrl,
    STAMPEDE_CONSOLE_OPS_URLS: [...doors.values()].map(({ url }) => url).join(","),
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
    shop,
    deliveryId: await deliveryTo(publisher, hooks.failingWebhookId),
    buy: (count) => buy(publisher, shop, coffees(people.memberId, count)),
    kill: async (service) => doors.get(service)?.kill(),
    replace: async (service) => doors.get(service)?.leadTo(await pipeline.start(service)),
    link: (role, organisationId = pipeline.publisher.organisationId) =>
      makeConsoleLink(pipeline.store, url, {
        user: `test ${role}`,
        role,
        organisationId: role === "support" ? organisationId : undefined,
      }),
    emptyOrganisationId: empty.organisationId,
  };
}

/** An operations address for each of the processes, by service. */
async function openDoors(t: Test, processes: readonly ServiceProcess[]): Promise<Map<string, OpsDoor>> {
  const doors = new Map<string, OpsDoor>();
  for (const process of processes) {
    const door = await OpsDoor.open(process);
    t.teardown(() => door.close());
    doors.set(process.service, door);
  }
  return doors;
}

/** Gives an organisation a name for people; the pipeline named it after its UUID. */
function nameOrganisation({ store }: Pipeline, id: string, name: string) {
  return store`update organisations set name = ${name} where id = ${id}`;
}

async function meetMembers(publisher: PublisherClient, { programId, dealId }: Shop) {
  const [memberId, busyMemberId, idleMemberId] = (await publisher.enrol(
    "ada@example.com",
    "busy",
    "idle",
  )) as [string, string, string];
  const enrolment = { loyalty_program_id: programId, member_id: memberId };
  await waitFor(
    async () => (await publisher.post("wallet.stamp-collection/create", enrolment)).status === 200,
    { message: "the program does not reach the publisher" },
  );
  const clip = { deal_id: dealId, member_id: memberId };
  await waitFor(async () => (await publisher.post("wallet.clip/save", clip)).status === 200, {
    message: "the deal does not reach the publisher",
  });
  return { memberId, busyMemberId, idleMemberId };
}

/** One webhook that hears everything, and one whose receiver always fails. */
async function listenForEvents(t: Test, publisher: PublisherClient) {
  const receiver = await startWebhookReceiver();
  t.teardown(() => receiver.close());
  receiver.follow(({ path }) =>
    path === "/broken"
      ? // At every look the delivery waits for its next attempt; it is never in the middle of one.
        answer(503, { body: "the till is being restarted", headers: { "retry-after": "3600" } })
      : answer(200, { body: "thanks" }),
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

/** The first delivery to a webhook that was tried, by its id. */
async function deliveryTo(publisher: PublisherClient, webhookId: string): Promise<string> {
  return waitFor(
    async () => {
      const { body } = await publisher.post("webhook.delivery/list", { webhook_id: webhookId });
      return body.data.find(({ attempts }: { attempts: number }) => attempts > 0)?.id as string | undefined;
    },
    { message: "nothing is sent to the webhook" },
  );
}

async function buyCoffee(publisher: PublisherClient, shop: Shop, memberId: string) {
  const counted = coffees(memberId, 7);
  const [cheap] = coffees(memberId, 1, { amount: 120 }) as [TransactionEvent];
  await buy(publisher, shop, counted);
  const [stamped] = counted as [TransactionEvent];
  await waitFor(
    async () => {
      const { body } = await publisher.post("event/list", { types: ["cashback.created"] });
      // The cashbacks of the full card, and of the deal.
      return body.data.length === 2;
    },
    { message: "the card is not full" },
  );
  // Only now: otherwise the deal might be redeemed with it.
  await buy(publisher, shop, [cheap]);
  return { stamped, unstamped: cheap };
}

/** How many dead letters there are. */
export const DEAD_LETTERS = 3;

/** Makes the database refuse events, as long as the constraint stands. */
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

/** Lets the database store the dead letters' events from now on. */
export async function mendDatabase({ pipeline }: ConsoleScene): Promise<void> {
  await pipeline.store`alter table transactions drop constraint scene_refuses`;
}
