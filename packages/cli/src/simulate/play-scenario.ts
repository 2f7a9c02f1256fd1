import type { IngestResult, PlatformClient, StampedeClient } from "#client";
import type { TransactionEvent } from "#contract";
import { CommandError } from "../command-error.ts";
import type { EventInbox } from "./event-inbox.ts";
import { identifiersOf, type Purchases } from "./purchases.ts";
import type { Step } from "./scenario.ts";
import type { TimeLine } from "./time-line.ts";

export interface Play {
  readonly client: StampedeClient;
  readonly platform: PlatformClient | undefined;
  /** undefined: no payment can be sent. */
  readonly retailerId: string | undefined;
  readonly purchases: Purchases;
  readonly inbox: EventInbox;
  readonly timeLine: TimeLine;
}

/** How a scenario ended. */
export interface Ending {
  /** Expected events that did not come in time, each with its step. */
  readonly missing: readonly string[];
  /** Why an event of the scenario was rejected, if one was. */
  readonly rejected: string | undefined;
}

/** Takes one step after the other, each once the events of the step before have come. Ends at the first step that fails. */
export async function playScenario(steps: readonly Step[], play: Play): Promise<Ending> {
  for (const step of steps) {
    const rejected = await takeStep(step, play);
    if (rejected !== undefined) return { missing: [], rejected };
    const missing = await play.inbox.take(step.expect, step.withinMs);
    if (missing.length > 0) {
      const within = `within ${step.withinMs / 1000} s after ${step.step}`;
      return { missing: missing.map((type) => `${type} did not come ${within}`), rejected: undefined };
    }
  }
  return { missing: [], rejected: undefined };
}

/** @returns why the event was rejected; undefined if it was not */
async function takeStep({ step, purchase, set }: Step, play: Play): Promise<string | undefined> {
  const event = play.purchases.eventOf(purchase, set);
  const line = play.timeLine.step(step, event.external_id);
  if (step === "pay") {
    line.done(await pay(event, play));
    return undefined;
  }
  const result = await play.client.ingest([datedFor(step, event)]);
  const { text, rejected } = describeResult(result);
  line.done(`${event.external_id} ${text}`);
  return rejected ? `${step} was rejected: ${text}` : undefined;
}

function datedFor(step: Exclude<Step["step"], "pay">, event: TransactionEvent): TransactionEvent {
  const now = new Date().toISOString();
  if (step === "clear") return { ...event, cleared_at: now };
  return step === "revert" ? { ...event, reverted_at: now } : event;
}

async function pay(event: TransactionEvent, { platform, retailerId }: Play): Promise<string> {
  const { external_id, amount = 0, currency = "EUR" } = event;
  if (platform === undefined || retailerId === undefined) {
    throw new CommandError("pay: no retailer of this merchant is known: name a --program or a --deal");
  }
  const payment = {
    payment_id: `${external_id}-payment`,
    identifiers: identifiersOf(event),
    amount,
    currency,
    paid_at: new Date().toISOString(),
  };
  const { accepted } = await platform.call("payment/ingest", {
    retailer_id: retailerId,
    payments: [payment],
  });
  return `${payment.payment_id} ${accepted === 1 ? "accepted" : "not accepted"}`;
}

function describeResult(result: IngestResult): { text: string; rejected: boolean } {
  if (result.status === "rejected") {
    const { code, reason } = result.rejected[0] ?? { code: "conflict", reason: "unknown" };
    return { text: `${code}, ${reason}`, rejected: true };
  }
  if (result.status === "accepted") return { text: "accepted for later (202)", rejected: false };
  const outcome = result.created > 0 ? "created" : result.updated > 0 ? "updated" : "unchanged";
  const fields = (result.ignored ?? []).flatMap((event) => event.fields);
  const ignored =
    fields.length === 0 ? "" : `; ignored, because other values are stored: ${fields.join(", ")}`;
  return { text: `${outcome}${ignored}`, rejected: false };
}
