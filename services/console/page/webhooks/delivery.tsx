import { useState } from "preact/hooks";
import { call, useCall } from "../api.ts";
import type { Parameters } from "../frame/page-definition.ts";
import { pathOf } from "../frame/path-of.ts";
import { mayActAs, useSession } from "../frame/roles.ts";
import { Link } from "../frame/router.tsx";
import { Id } from "../parts/id.tsx";
import { Json } from "../parts/json.tsx";
import { Moment } from "../parts/moment.tsx";
import { ReasonButton } from "../parts/reason-dialog.tsx";
import { Facts, RecordScreen, Screen, Section } from "../parts/screen.tsx";
import { Message } from "../parts/states.tsx";
import { TimeLine, type TimeLineEntry } from "../parts/time-line.tsx";
import { attemptWords } from "./attempt-words.ts";
import { DeliveryState, Duration } from "./webhook-parts.tsx";
import type { DeliveryDetail } from "./webhook-types.ts";

/** One delivery, with every attempt and its answer. */
export function DeliveryPage({ parameters }: { readonly parameters: Parameters }) {
  const { id = "" } = parameters;
  const delivery = useCall("publisher.v1/webhook.delivery/get", { id });
  return (
    <RecordScreen title="Delivery" call={delivery} missing={MISSING}>
      {(detail) => <OneDelivery delivery={detail} />}
    </RecordScreen>
  );
}

const MISSING = (
  <Message title="There is no such delivery">
    It is older than 30 days, or belongs to another organisation.
  </Message>
);

function OneDelivery({ delivery }: { readonly delivery: DeliveryDetail }) {
  const { id, event_ids: events, webhook_id: webhook, split_from: whole } = delivery;
  return (
    <Screen title="Delivery" lead={sentenceOf(delivery)} actions={<Replay delivery={delivery} />}>
      <Facts
        facts={[
          { name: "State", value: <DeliveryState state={delivery.state} /> },
          { name: "Webhook", value: <Id id={webhook} to={pathOf("webhook", webhook)} /> },
          { name: "Made", value: <Moment at={delivery.created_at} /> },
          { name: "Arrived", value: delivery.delivered_at && <Moment at={delivery.delivered_at} /> },
          {
            name: "Next attempt",
            value: delivery.next_attempt_at && <Moment at={delivery.next_attempt_at} />,
          },
          { name: "Replayed", value: delivery.replayed_at && <Moment at={delivery.replayed_at} /> },
          { name: "Part of", value: whole && <Id id={whole} to={pathOf("delivery", whole)} /> },
          { name: "Id", value: <Id id={id} /> },
        ]}
      />
      <Section title="Attempts">
        {delivery.attempt_log.length === 0 ? (
          <p class="empty">It was not tried yet.</p>
        ) : (
          <TimeLine entries={attemptsOf(delivery)} />
        )}
      </Section>
      <Section title={events.length === 1 ? "Its event" : `Its ${events.length} events`}>
        <ul class="ids">
          {events.slice(0, SHOWN_EVENTS).map((event) => (
            <li key={event}>
              <Id id={event} />
            </li>
          ))}
        </ul>
        <Json value={delivery} />
      </Section>
    </Screen>
  );
}

const SHOWN_EVENTS = 20;

function sentenceOf({ state, attempts }: DeliveryDetail): string {
  const tries = attempts === 1 ? "one attempt" : `${attempts} attempts`;
  if (state === "delivered") return `It arrived, after ${tries}.`;
  if (state === "failed")
    return `It failed for good after ${tries}; later deliveries went on. Replay sends it again.`;
  if (state === "split") return "It was refused, so its events are sent one by one.";
  return attempts === 0
    ? "It waits for its turn."
    : `It has not arrived, after ${tries}, and is tried again.`;
}

function attemptsOf({ attempt_log: log, next_attempt_at: next }: DeliveryDetail): TimeLineEntry[] {
  const made = log.map(({ number, attempted_at: at, duration_ms: ms, ...outcome }): TimeLineEntry => {
    const isSuccess = outcome.error_class === undefined;
    return {
      key: String(number),
      at,
      state: isSuccess ? "done" : "stopped",
      title: (
        <>
          {attemptWords(outcome)} <span class="quiet">in</span> <Duration ms={ms} />
        </>
      ),
      detail: outcome.answer ? <pre class="answer">{outcome.answer}</pre> : undefined,
    };
  });
  if (next === undefined) return made;
  return [...made, { key: "next", at: next, state: "waiting", title: "next attempt" }];
}

/** Sends the events of the delivery to its webhook again. */
function Replay({ delivery }: { readonly delivery: DeliveryDetail }) {
  const { role } = useSession();
  const [queued, setQueued] = useState<number>();
  if (!mayActAs(role, "operator")) return null;
  const replay = async (reason: string) => {
    const request = { webhook_id: delivery.webhook_id, event_ids: [...delivery.event_ids] };
    setQueued((await call("publisher.v1/webhook.delivery/replay", request, { reason })).queued);
  };
  return (
    <>
      {queued !== undefined && (
        <span role="status">
          {queued} queued. <Link to={pathOf("webhook", delivery.webhook_id)}>See them</Link>
        </span>
      )}
      <ReasonButton title="Replay these events" action="Replay" onConfirm={replay}>
        The same events go to the webhook again, after those that wait for it. Receivers recognise them by
        their ids.
      </ReasonButton>
    </>
  );
}
