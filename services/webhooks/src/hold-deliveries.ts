import { LIMITS } from "#contract";
import type { PendingDelivery } from "./deliveries/cut-events.ts";
import type { WebhookTurn } from "./deliveries/webhook-turn.ts";

/**
 * Deliveries that a webhook with a backlog takes together: one statement for some dozens of milliseconds of
 * requests.
 */
const AHEAD_MAX = 8;
/** Bytes that may be held ahead of requests, over all webhooks; each webhook may hold one delivery in any case. */
const AHEAD_BYTES = 64 * 1024 * 1024;
/** Bytes of a full delivery: a guess, because room is given before the delivery is read. */
const DELIVERY_BYTES = 64 * 1024;

/** Deliveries of a webhook that may be made now, in order. */
export interface Taken {
  readonly deliveries: readonly PendingDelivery[];
  /** Whether there may be more: as many were taken as were asked for. */
  readonly isFull: boolean;
}

/**
 * How many deliveries each webhook may take: more than one while there is room, and always one, so that targets that hang never
 * keep another webhook from its next delivery.
 * @param turns those under way
 */
export function takenAhead(turns: Iterable<WebhookTurn>, webhooks: number): number {
  // Counted in characters, which are bytes in nearly all events.
  let heldBytes = 0;
  for (const turn of turns) heldBytes += turn.heldBytes;
  const room = Math.floor((AHEAD_BYTES - heldBytes) / (webhooks * DELIVERY_BYTES));
  return Math.min(AHEAD_MAX, 1 + Math.max(0, room));
}

/**
 * Notes that the turn holds these deliveries.
 * @param asked how many were asked for
 */
export function hold(turn: WebhookTurn, deliveries: readonly PendingDelivery[], asked: number): Taken {
  for (const delivery of deliveries) turn.heldBytes += delivery.body.length;
  const last = deliveries.at(-1);
  // If new events do not fill their delivery, there were no more.
  const isEnd = last?.cut !== undefined && last.events < LIMITS.eventsPerDelivery;
  return { deliveries, isFull: deliveries.length === asked && !isEnd };
}
