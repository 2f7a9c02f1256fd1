import { useCall } from "../api.ts";
import { Badge, type BadgeKind } from "../parts/badge.tsx";
import { Moment } from "../parts/moment.tsx";
import { count, inGroups } from "../purchase/words.ts";
import { SHARE_OF, type SuccessShare, successShare } from "./success-share.ts";
import { COUNTED_EVENTS, type Delivery, type Webhook, type WebhookDetail } from "./webhook-types.ts";

/** The state in one word; an enabled webhook that fails is shown as failing. */
export function WebhookState({ webhook }: { readonly webhook: Pick<Webhook, "state" | "failing_since"> }) {
  const { state, failing_since: since } = webhook;
  if (state === "disabled") return <Badge kind="bad">disabled</Badge>;
  if (state === "paused") return <Badge>paused</Badge>;
  if (since === undefined) return <Badge kind="good">enabled</Badge>;
  return (
    <>
      <Badge kind="bad">failing</Badge>{" "}
      <span class="quiet">
        since <Moment at={since} grain="minute" />
      </span>
    </>
  );
}

/** How many events wait, and the time of the oldest. */
export function Backlog({ webhook }: { readonly webhook: WebhookDetail }) {
  const { pending_events: events, oldest_pending_at: since } = webhook;
  if (events === 0) return <span class="quiet">nothing</span>;
  return (
    <>
      {events >= COUNTED_EVENTS ? `${inGroups(events)} and more events` : count(events, "event")}
      {since !== undefined && (
        <span class="quiet">
          {" "}
          since <Moment at={since} grain="minute" />
        </span>
      )}
    </>
  );
}

const STATES: Readonly<Record<Delivery["state"], BadgeKind>> = {
  pending: "busy",
  delivered: "good",
  failed: "bad",
  split: "plain",
};

export function DeliveryState({ state }: { readonly state: Delivery["state"] }) {
  return <Badge kind={STATES[state]}>{state}</Badge>;
}

/** `1.2 s`, `87 ms`. */
export function Duration({ ms }: { readonly ms: number | undefined }) {
  if (ms === undefined) return <span class="quiet">–</span>;
  return <>{ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`}</>;
}

/** How many of a webhook's newest deliveries arrived; undefined until the answer has come. */
export function useSuccessShare(id: string): SuccessShare | undefined {
  const newest = { webhook_id: id, order: "newest", pagination: { limit: SHARE_OF } } as const;
  const deliveries = useCall("publisher.v1/webhook.delivery/list", newest);
  return deliveries.state === "ready" ? successShare(deliveries.answer.data) : undefined;
}
