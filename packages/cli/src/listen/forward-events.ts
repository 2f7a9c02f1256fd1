import { setTimeout as delay } from "node:timers/promises";
import { uuidv7 } from "uuidv7";
import type { WebhookEvent } from "#client";
import { encodeId, retryDelayMs } from "#domain";
import { planAfterAttempt } from "#domain/webhooks";
import { CommandError } from "../command-error.ts";
import { type SignedResult, sendSigned } from "./send-signed.ts";

/** A receiver that a developer runs. */
export interface ForwardTarget {
  readonly url: string;
  readonly secret: string;
  readonly signal: AbortSignal;
  /** Waits between attempts; tests replace it. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** The receiver took these events. */
  readonly onDelivered: (delivery: Delivery, result: SignedResult) => void;
  /** An attempt failed. @param again milliseconds until the next attempt; undefined: these events are skipped */
  readonly onFailed: (delivery: Delivery, result: SignedResult, again: number | undefined) => void;
}

export interface Delivery {
  /** The `webhook-id` header. */
  readonly id: string;
  readonly events: readonly WebhookEvent[];
  /** The number of attempts so far. */
  readonly attempt: number;
}

/**
 * Forwards events as one delivery, like the service: in order, and again until the receiver takes them. After ten refusals it
 * sends them one by one; after ten more refusals it skips the event (contract, section 10). Only the waits are shorter, because
 * a person watches: 100 ms doubling to 10 s, or the time of `retry-after`.
 * @throws CommandError if the receiver answers 410: a webhook would be disabled
 */
export async function forwardEvents(events: readonly WebhookEvent[], target: ForwardTarget): Promise<void> {
  const { url, secret, signal, pause = wait } = target;
  const id = encodeId("dlv", uuidv7());
  const body = JSON.stringify({ events });
  let refusals = 0;
  for (let failures = 0; ; failures++) {
    const result = await sendSigned({ url, secret, id, body, signal });
    const delivery = { id, events, attempt: failures + 1 };
    const history = { failures, refusals, eventCount: events.length, failingMs: 0 };
    const plan = planAfterAttempt({ ...result, ...history, random: Math.random() });
    switch (plan.kind) {
      case "delivered":
        target.onDelivered(delivery, result);
        return;
      case "split":
        target.onFailed(delivery, result, 0);
        for (const event of events) await forwardEvents([event], target);
        return;
      case "parked":
        target.onFailed(delivery, result, undefined);
        return;
      case "disable":
        throw new CommandError(`${url} answered 410, which disables a webhook: nothing more is forwarded`);
      case "retry": {
        if (plan.refused) refusals++;
        const asked = result.retryAfterMs !== null;
        const waitMs = asked ? plan.afterMs : retryDelayMs(failures + 1, Math.random());
        target.onFailed(delivery, result, waitMs);
        await pause(waitMs, signal);
      }
    }
  }
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return delay(ms, undefined, { signal });
}
