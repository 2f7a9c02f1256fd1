import type { DeliveryStep, StepOf, Trace, Waiting } from "./shapes.ts";
import { count, type Moments } from "./words.ts";

/** Whether webhooks got the events, as the last clauses of a sentence. */
export interface Told {
  readonly clauses: readonly string[];
  /** `open`: one gets it soon, or is tried again; `bad`: one gets nothing until a user acts. */
  readonly standing: "good" | "open" | "bad";
}

/**
 * Whether webhooks got these events; no clause if no such event is known (they are kept for 30 days).
 * @param types of the events that say the same as the sentence
 */
export function sayTold(trace: Trace, types: ReadonlySet<string>, moments: Moments): Told {
  const events = new Set(eventsOf(trace, types).map(({ event_id }) => event_id));
  if (events.size === 0) return { clauses: [], standing: "good" };
  const deliveries = trace.steps
    .filter((step) => step.kind === "delivery")
    .filter(({ event_ids }) => event_ids.some((id) => events.has(id)));
  const told = firstDelivered(deliveries);
  const refused = deliveries.filter(({ state, webhook_id }) => state === "failed" && !told.has(webhook_id));
  // A webhook that got this and waits for another event does not matter here.
  const waiting = trace.waiting.filter(isWebhook).filter(({ webhook_id = "" }) => !told.has(webhook_id));
  const isStuck = refused.length > 0 || waiting.some(({ code }) => GRAVITY[code] > 0);
  const standing = isStuck ? "bad" : waiting.length > 0 ? "open" : "good";
  const said = [deliveredClause([...told.values()], moments), refusedClause(refused, told.size > 0)];
  const clauses = [
    ...said.filter((clause) => clause !== undefined),
    ...waitingClauses(waiting, told.size > 0, moments),
  ];
  return { clauses: clauses.length === 0 ? ["no webhook was told"] : clauses, standing };
}

function eventsOf(trace: Trace, types: ReadonlySet<string>): StepOf<"event">[] {
  return trace.steps
    .filter((step) => step.kind === "event")
    .filter(({ event_type }) => types.has(event_type));
}

/** By webhook, the time of the first delivery. A replay is a later one. */
function firstDelivered(deliveries: readonly DeliveryStep[]): Map<string, string> {
  const first = new Map<string, string>();
  for (const { state, webhook_id, at } of deliveries) {
    const before = first.get(webhook_id);
    if (state === "delivered" && (before === undefined || at < before)) first.set(webhook_id, at);
  }
  return first;
}

function deliveredClause(times: readonly string[], moments: Moments): string | undefined {
  const last = [...times].sort().at(-1);
  if (last === undefined) return undefined;
  if (times.length === 1) return `told your webhook ${moments.at(last)}`;
  return `told ${times.length} of your webhooks, the last ${moments.at(last)}`;
}

function refusedClause(refused: readonly DeliveryStep[], anotherWasTold: boolean): string | undefined {
  const [first] = refused;
  if (first === undefined) return undefined;
  const whose = new Set(refused.map(({ webhook_id }) => webhook_id)).size;
  const who = whose > 1 ? `${whose} webhooks` : anotherWasTold ? "another webhook" : "your webhook";
  const how = first.status === undefined ? "" : ` (status ${first.status})`;
  return `${who} refused to be told${how} and will not be asked again unless the event is replayed`;
}

function waitingClauses(
  waiting: readonly WaitingWebhook[],
  anotherWasTold: boolean,
  moments: Moments,
): string[] {
  const [first, ...others] = [...waiting].sort((a, b) => GRAVITY[b.code] - GRAVITY[a.code]);
  if (first === undefined) return [];
  const who = anotherWasTold ? "another webhook" : "your webhook";
  const clause = `${who} ${stateOf(first, moments)}`;
  if (others.length === 0) return [clause];
  return [clause, `${count(others.length, "other webhook")} ${others.length === 1 ? "waits" : "wait"} too`];
}

/** The higher, the more a user has to act. */
const GRAVITY = { webhook_disabled: 2, webhook_paused: 1, webhook: 0 } as const;
type WebhookCode = keyof typeof GRAVITY;
type WaitingWebhook = Waiting & { readonly code: WebhookCode };

function stateOf({ code, failing_since, next_attempt_at }: WaitingWebhook, moments: Moments): string {
  if (code === "webhook_paused") return "is paused and has not been told";
  if (code === "webhook_disabled") return "is disabled and has not been told";
  if (failing_since === undefined) return "is about to be told";
  const failing = `has not been told: it has been failing ${moments.since(failing_since)}`;
  return next_attempt_at === undefined
    ? failing
    : `${failing}, and is tried again ${moments.at(next_attempt_at)}`;
}

function isWebhook(waiting: Waiting): waiting is WaitingWebhook {
  return Object.hasOwn(GRAVITY, waiting.code);
}
