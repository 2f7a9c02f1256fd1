import { randomBytes, randomUUID } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { EVENTS_KICK_SUBJECT, type EventType, type WebhookEvent } from "#contract";
import { createWebhookSecret, encodeId } from "#domain";
import { kick } from "#nats";
import { createOrganisation, type StoredEvent, writeEvents } from "#publisher-db";
import { makeEncryptionKey } from "#runtime";
import { BackendWatch } from "../kit/backend-watch.ts";
import { Installation } from "../kit/installation.ts";
import type { ServiceProcess } from "../kit/processes.ts";
import type { Servers } from "../kit/servers.ts";
import { type Usage, watchUsage } from "../kit/usage.ts";
import { waitUntil } from "../kit/wait-until.ts";
import { LOOPBACK_TARGETS, storeWebhook } from "../kit/webhooks.ts";
import { monotonicMs, Receiver } from "./receiver.ts";

/**
 * Webhooks, each of its own organisation, the service that delivers to them, and their receiver. The
 * organisation of the first one may have others, of another type, which have the numbers after all the rest.
 */
export class WebhookScene {
  readonly #servers: Servers;
  readonly installation: Installation;
  readonly receiver: Receiver;
  /** By the number of the webhook. */
  readonly organisations: readonly string[];
  readonly #keys: string;

  static async open(servers: Servers, webhooks: number, rare = 0): Promise<WebhookScene> {
    const installation = await Installation.open(servers);
    const secret = createWebhookSecret(randomBytes(32));
    const keys = makeEncryptionKey(new Date());
    let receiver: Receiver | undefined;
    try {
      receiver = await Receiver.start(webhooks + rare, secret);
      const { store } = installation;
      const target = receiver;
      const make = (organisationId: string, number: number, type: EventType) =>
        storeWebhook(store, { organisationId, url: target.targetOf(number), events: [type], secret, keys });
      const organisations = Array.from({ length: webhooks }, () => uuidv7());
      await Promise.all(
        organisations.map(async (organisationId, number) => {
          await createOrganisation(store, { id: organisationId, name: `bench ${number}` });
          await make(organisationId, number, EVENT_TYPE);
        }),
      );
      const [first = ""] = organisations;
      await Promise.all(Array.from({ length: rare }, (_, i) => make(first, webhooks + i, RARE_TYPE)));
      return new WebhookScene({ servers, installation, receiver, organisations, keys });
    } catch (error) {
      await receiver?.stop();
      await installation.close();
      throw error;
    }
  }

  private constructor(
    parts: Pick<WebhookScene, "installation" | "receiver" | "organisations"> & {
      readonly servers: Servers;
      readonly keys: string;
    },
  ) {
    this.#servers = parts.servers;
    this.installation = parts.installation;
    this.receiver = parts.receiver;
    this.organisations = parts.organisations;
    this.#keys = parts.keys;
  }

  /** One process of the service; ready when this resolves. */
  start(): Promise<ServiceProcess> {
    return this.installation.start("webhooks", {
      STAMPEDE_ENCRYPTION_KEYS: this.#keys,
      ...LOOPBACK_TARGETS,
    });
  }

  /**
   * The cost of something for the service and the backends that work for it.
   * @param left how much of it is left, if known
   */
  async watch<T extends object>(
    service: ServiceProcess,
    work: () => Promise<T>,
    left = () => 0,
  ): Promise<T & { readonly usage: Usage }> {
    const backends = await BackendWatch.open(this.#servers, this.installation.database);
    const databaseCpuSeconds = async () => (await backends.read())["cpu.webhooks database"] ?? 0;
    try {
      return await watchUsage(
        { processes: [service], queueDepth: async () => left(), databaseCpuSeconds },
        work,
      );
    } finally {
      await backends.close();
    }
  }

  /**
   * Writes and announces events like the reward engine.
   * @returns when they were committed, by the monotonic clock
   */
  async write(events: readonly StoredEvent[]): Promise<number> {
    await this.installation.store.begin((sql) => writeEvents(sql, events));
    const committedMs = monotonicMs();
    kick(this.installation.stream, EVENTS_KICK_SUBJECT);
    return committedMs;
  }

  /**
   * Waits until nothing is pending.
   * @param sent the number of events that each webhook must have received
   * @returns the failed expectations
   */
  async faults(sent: readonly number[]): Promise<string[]> {
    const { store } = this.installation;
    const count = async (state: string): Promise<number> => {
      const [{ deliveries }] = await store<[{ deliveries: number }]>`
        select count(*) as deliveries from webhook_deliveries where state = ${state}`;
      return deliveries;
    };
    await waitUntil(async () => (await count("pending")) === 0, "deliveries are still pending");
    const report = await this.receiver.report();
    const faults = [...report.faults];
    for (const [number, events] of sent.entries()) {
      const got = report.events[number];
      if (got !== events) faults.push(`webhook ${number} got ${got} of ${events} events`);
    }
    const failed = await count("failed");
    if (failed > 0) faults.push(`${failed} deliveries have failed`);
    if (report.repeated > 0) faults.push(`${report.repeated} events came twice, though nothing failed`);
    if (report.verified === 0) faults.push("no signature was verified");
    return faults;
  }

  async close(): Promise<void> {
    await this.installation.close();
    await this.receiver.stop();
  }
}

/** The type to which all webhooks here subscribe, except the rare ones: the most frequent one. */
export const EVENT_TYPE = "qualifying_purchase.created";
/** Of the same fields. */
export const RARE_TYPE = "qualifying_purchase.unredeemed";

const AT = "2026-03-01T10:00:00.000Z";
const SOME_UUID = "01890a5d-ac96-774b-bcce-b302099a8057";

/** @param number of the event among those of its organisation, from 1: the receiver checks the order by it */
export function makeBenchEvent(
  organisationId: string,
  number: number,
  type: EventType = EVENT_TYPE,
): StoredEvent {
  const id = uuidv7();
  const transactionId = randomUUID();
  return {
    id,
    organisationId,
    type,
    // The time of writing, not of the event: old events are swept.
    at: new Date().toISOString(),
    transactionId,
    body: eventBody(encodeId("evt", id), encodeId("tx", transactionId), String(number)),
  };
}

/** As large as a real one. */
export function eventBody(event_id: string, transaction_id: string, transaction_ref: string): string {
  const event: WebhookEvent = {
    event_id,
    type: EVENT_TYPE,
    timestamp: AT,
    member_id: null,
    member_ref: null,
    transaction_id,
    transaction_ref,
    qualifying_purchase_id: encodeId("qp", SOME_UUID),
    loyalty_program_id: encodeId("lp", SOME_UUID),
    stamp_collection_id: encodeId("sc", SOME_UUID),
    unredeemed_purchases: 3,
    created_at: AT,
  };
  return JSON.stringify(event);
}
