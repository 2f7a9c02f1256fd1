import type { WebhookEvent } from "#client";
import { recordId, webhookEvent } from "#client/testing";
import { EVENT_TYPES } from "#contract";
import { CommandError } from "../command-error.ts";

type EventName = WebhookEvent["type"];

/** A sample of the event with all fields and new ids. */
export function sampleEvent(type: EventName): WebhookEvent {
  if (type === "webhook.test") return webhookEvent(type);
  const event = webhookEvent(type, { transaction_ref: "sample-1001" });
  return "cashback_id" in event ? { ...event, amount: 250, source: clip() } : event;
}

const clip = () => ({ type: "clip" as const, clip_id: recordId("clip"), deal_id: recordId("deal") });

export const SAMPLE_TYPES: readonly EventName[] = [...EVENT_TYPES, "webhook.test"];

/**
 * The event with one field set: `amount=500`, `transaction_ref=order-7`, `source.deal_id=deal_…`, or an object as JSON. Only
 * fields that the event has, and only values of their types, because a sample must be a possible event.
 */
export function withField(event: WebhookEvent, assignment: string): WebhookEvent {
  const [, path = "", text = ""] = /^([\w.]+)=(.*)$/s.exec(assignment) ?? [];
  const changed = structuredClone(event) as object as Record<string, unknown>;
  const names = path.split(".");
  const last = names.pop() as string;
  let holder: Record<string, unknown> | undefined = changed;
  for (const name of names) holder = objectAt(holder, name);
  if (holder === undefined || !Object.hasOwn(holder, last) || path === "type") {
    const known = Object.keys(event).filter((name) => name !== "type");
    throw new CommandError(
      `--set ${assignment}: ${event.type} has no such field to set; it has ${known.join(", ")}: --set amount=500`,
    );
  }
  holder[last] = readValue(holder[last], text, assignment);
  return changed as object as WebhookEvent;
}

function objectAt(holder: Record<string, unknown> | undefined, name: string) {
  const value = holder !== undefined && Object.hasOwn(holder, name) ? holder[name] : undefined;
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
}

function readValue(sample: unknown, text: string, assignment: string): unknown {
  if (typeof sample === "string") return text;
  if (typeof sample === "number") {
    if (/^\d{1,15}$/.test(text)) return Number(text);
    throw new CommandError(`--set ${assignment}: it is a whole number, amounts in minor units`);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // It is no JSON.
  }
  throw new CommandError(`--set ${assignment}: it is an object: give it as JSON, or one of its fields`);
}
