import { setTimeout as delay } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import type { EventDelivery, WebhookEvent } from "#contract";
import { SeededRandom } from "#domain";
import {
  answer,
  type ReceivedRequest,
  type ReceiverStep,
  startWebhookReceiver,
  WebhookAudit,
  type WebhookReceiver,
} from "#test-support";
import type { Caller } from "./caller.ts";

const ALL = [
  "cashback.created",
  "cashback.cleared",
  "cashback.reverted",
  "qualifying_purchase.created",
  "qualifying_purchase.voided",
  "qualifying_purchase.unredeemed",
  "transaction.rejected",
] as const;

const SUBSCRIPTIONS: readonly (readonly string[])[] = [
  ALL,
  ["cashback.created", "cashback.cleared", "cashback.reverted"],
  ["qualifying_purchase.created", "qualifying_purchase.voided", "transaction.rejected"],
];

/** One in this many requests is refused or broken off. */
const FAILING = 0.08;

/**
 * The integrator's server: receives every webhook, verifies it, fails now and then, and records the events.
 */
export class WebhookDesk {
  readonly problems: string[] = [];
  /** Events that a restore has changed: see `#judgeAgain`. */
  readonly otherwise: string[] = [];
  readonly counts = { requests: 0, failed: 0, repeated: 0, late: 0 };
  readonly #receiver: WebhookReceiver;
  readonly #random: SeededRandom;
  #audits = openAudits();
  /**
   * The audits from before each restore, after which the service sends everything again from an earlier event
   * on.
   */
  readonly #before: WebhookAudit[][] = [];
  /** In seconds since 1970. */
  #restoredAt = 0;
  readonly #verifiers: Webhook[] = [];
  readonly #failed = new Set<string>();
  /** The latest form of each event, by its id. */
  readonly #came = new Map<string, WebhookEvent>();

  static async open(caller: Caller, seed: number): Promise<WebhookDesk> {
    const receiver = await startWebhookReceiver();
    const desk = new WebhookDesk(receiver, seed);
    for (const [i, events] of SUBSCRIPTIONS.entries()) {
      const { body } = await caller.until("publisher", "webhook/create", {
        url: `${receiver.url}/${i}`,
        events,
      });
      desk.#verifiers.push(new Webhook(body.secret));
    }
    receiver.follow((request) => desk.#answer(request));
    return desk;
  }

  private constructor(receiver: WebhookReceiver, seed: number) {
    this.#receiver = receiver;
    this.#random = new SeededRandom(seed);
  }

  #answer(request: ReceivedRequest): ReceiverStep {
    const i = Number(request.path.slice(1));
    // A request that was signed before a restore may arrive after it, and is of the lost time.
    const isLost = Number(request.headers["webhook-timestamp"]) < this.#restoredAt;
    const audits = isLost ? this.#before.at(-1) : this.#audits;
    if (isLost) this.counts.late++;
    const audit = audits?.[i] as WebhookAudit;
    const id = `${request.headers["webhook-id"]}`;
    this.counts.requests++;
    try {
      this.#verifiers[i]?.verify(request.body, request.headers as Record<string, string>);
    } catch (error) {
      this.problems.push(`webhook ${i}: ${id}: ${(error as Error).message}`);
    }
    const { events } = JSON.parse(request.body) as EventDelivery;
    const ids = events.map((event) => event.event_id);
    audit.receive(id, JSON.stringify(events.map(withoutMember)), ids);
    for (const event of events) this.#keep(i, event);
    const random = this.#random;
    if (!random.chance(FAILING)) {
      const pause = delay(random.chance(0.1) ? random.between(1, 300) : 0);
      return answer(200, { after: pause.then(() => audit.accept(ids)) });
    }
    this.counts.failed++;
    // After a second failure of one delivery, without a `retry-after`, the next attempt would come only after
    // half a minute.
    const isFirst = !this.#failed.has(id);
    this.#failed.add(id);
    if (!isFirst || random.chance(0.7)) {
      const inSeconds = answer(503, { headers: { "retry-after": "1" } });
      const date = new Date(Date.now() + 2_000).toUTCString();
      return random.pick([inSeconds, answer(429, { headers: { "retry-after": date } })]);
    }
    const failure: ReceiverStep = random.pick([
      { kind: "reset" },
      { kind: "cut", status: 200 },
      { kind: "half_close" },
      { kind: "garbage" },
    ]);
    // The head of a 2xx counts as success, if it arrives before the reset.
    if (failure.kind === "cut") audit.accept(ids);
    return failure;
  }

  #keep(i: number, event: WebhookEvent): void {
    const before = this.#came.get(event.event_id);
    this.#came.set(event.event_id, event);
    if (before === undefined || isSame(before, event)) return;
    const isAgain = this.#before.length > 0 && factOf(before) === factOf(event);
    const came = `webhook ${i}: ${event.event_id} came as ${show(before)} and ${show(event)}`;
    if (!isAgain) this.problems.push(came);
    else if (!isSame(withoutTimes(before), withoutTimes(event))) this.otherwise.push(came);
  }

  /** The publisher's database has gone back, and its server is about to start. */
  restored(): void {
    this.#restoredAt = Math.floor(Date.now() / 1_000);
    this.#before.push(this.#audits);
    this.#audits = openAudits();
  }

  /** The number of events not yet accepted. @param events all events, in the order of their numbers */
  missing(events: readonly WebhookEvent[]): number {
    return this.#audits.reduce((sum, audit, i) => {
      const audits = [audit, ...this.#before.map((all) => all[i] as WebhookAudit)];
      const isAccepted = (id: string) => audits.some((one) => one.hasAccepted([id]));
      return sum + this.#idsOf(i, events).filter((id) => !isAccepted(id)).length;
    }, 0);
  }

  /** Called once, when everything has come. */
  finish(events: readonly WebhookEvent[]): string[] {
    for (const [i, audit] of this.#audits.entries()) {
      const ids = this.#idsOf(i, events);
      // After a restore the audit begins where the webhook's cursor was.
      const from = this.#before.length === 0 ? 0 : Math.max(0, ids.indexOf(audit.first ?? ""));
      audit.finish(audit.first === undefined ? [] : ids.slice(from));
      for (const one of [...this.#before.map((all) => all[i] as WebhookAudit), audit]) {
        this.problems.push(...one.problems);
      }
    }
    for (const event of events) {
      const came = this.#came.get(event.event_id);
      // Stored events have no ref. An event that came before a restore need not come again.
      if (came === undefined || show(withoutMember(came)) === show(withoutMember(event))) continue;
      const isAgain = this.#before.length > 0 && factOf(came) === factOf(event);
      if (!isAgain) {
        this.problems.push(`${event.event_id} came as ${show(came)}, not ${show(event)}`);
      }
    }
    this.#judgeAgain(events);
    this.counts.repeated = [...this.#before, this.#audits]
      .flat()
      .reduce((sum, { repeated }) => sum + repeated, 0);
    return this.problems;
  }

  /**
   * No fact comes under two ids. Events that were sent come again, except where partitions that lagged have
   * changed the order (decision 53).
   */
  #judgeAgain(events: readonly WebhookEvent[]): void {
    const there = new Set(events.map((event) => event.event_id));
    const ids = new Map<string, string>();
    for (const event of this.#came.values()) {
      const isRejection = event.type === "transaction.rejected";
      if (!there.has(event.event_id)) {
        const text = `told and not so any more: ${show(event)}`;
        (this.#before.length > 0 && !isRejection ? this.otherwise : this.problems).push(text);
      }
      const other = ids.get(factOf(event));
      if (other !== undefined && !isRejection) this.problems.push(`${other} is told again as ${show(event)}`);
      ids.set(factOf(event), event.event_id);
    }
  }

  #idsOf(i: number, events: readonly WebhookEvent[]): string[] {
    const types = SUBSCRIPTIONS[i] as readonly string[];
    return events.filter(({ type }) => types.includes(type)).map((event) => event.event_id);
  }

  close(): Promise<void> {
    return this.#receiver.close();
  }
}

const openAudits = () => SUBSCRIPTIONS.map((_, i) => new WebhookAudit(`webhook ${i}`));

const show = (event: object): string => JSON.stringify(event);

/** The subject of an event, without its id and time. */
function factOf(event: WebhookEvent): string {
  const { type, transaction_ref } = event as { type: string; transaction_ref?: string };
  const rest = event as unknown as Record<string, unknown>;
  if (type === "transaction.rejected")
    return [type, transaction_ref, rest.batch_id, rest.code, rest.reason].join(" ");
  if ("source" in event) return [type, transaction_ref, show(event.source)].join(" ");
  // Several redemptions, one after the other, may hold a stamp, and each may let it go.
  const own = type === "qualifying_purchase.unredeemed" ? rest.event_id : "";
  return [type, transaction_ref, rest.stamp_collection_id, own].join(" ");
}

/** A fact that is found again is written down at another time. */
function withoutTimes(event: WebhookEvent): WebhookEvent {
  return Object.assign({}, event, { timestamp: "", created_at: "", voided_at: "" });
}

/** An event names its member only while the member exists; the rest is the same. */
function withoutMember({ member_id, member_ref, ...event }: WebhookEvent): object {
  return event;
}

/** Whether they are one event, apart from a member that was deleted between the two (contract, section 10). */
function isSame(one: WebhookEvent, other: WebhookEvent): boolean {
  if (one.member_id === null || other.member_id === null) {
    return show(withoutMember(one)) === show(withoutMember(other));
  }
  return show(one) === show(other);
}
