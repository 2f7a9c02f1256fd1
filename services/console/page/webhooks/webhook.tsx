import { useCallback, useState } from "preact/hooks";
import { useCall } from "../api.ts";
import type { Parameters } from "../frame/page-definition.ts";
import { mayActAs, useSession } from "../frame/roles.ts";
import { Id } from "../parts/id.tsx";
import { Moment } from "../parts/moment.tsx";
import { Facts, RecordScreen, Screen } from "../parts/screen.tsx";
import { Message } from "../parts/states.tsx";
import { stateWords } from "./attempt-words.ts";
import { Deliveries } from "./deliveries.tsx";
import { writeShare } from "./success-share.ts";
import { WebhookActions } from "./webhook-actions.tsx";
import { Backlog, useSuccessShare, WebhookState } from "./webhook-parts.tsx";
import type { WebhookDetail } from "./webhook-types.ts";

const REFRESH_MS = 5_000;

/** One webhook: its state, the events that wait for it, and its deliveries. */
export function WebhookPage({ parameters }: { readonly parameters: Parameters }) {
  const { id = "" } = parameters;
  const webhook = useCall("publisher.v1/webhook/get", { id }, { everyMs: REFRESH_MS });
  return (
    <RecordScreen title="Webhook" call={webhook} missing={MISSING}>
      {(detail, again) => <OneWebhook webhook={detail} again={again} />}
    </RecordScreen>
  );
}

const MISSING = (
  <Message title="There is no such webhook">It was removed, or belongs to another organisation.</Message>
);

interface OneWebhookProps {
  readonly webhook: WebhookDetail;
  again(): void;
}

function OneWebhook({ webhook, again }: OneWebhookProps) {
  const { role } = useSession();
  const [notice, setNotice] = useState<string>();
  const [turn, setTurn] = useState(0);
  const changed = useCallback(
    (what: string) => {
      setNotice(what);
      setTurn((last) => last + 1);
      again();
    },
    [again],
  );
  const actions = mayActAs(role, "operator") ? (
    <WebhookActions webhook={webhook} onChanged={changed} />
  ) : undefined;
  return (
    <Screen
      title={webhook.description || webhook.url}
      lead={stateWords(webhook)}
      actions={actions}
      notice={notice}
    >
      <WebhookFacts webhook={webhook} turn={turn} />
      <p class="quiet">
        <code>{webhook.url}</code> hears {webhook.events.join(", ")}.
      </p>
      <Deliveries webhookId={webhook.id} turn={turn} />
    </Screen>
  );
}

function WebhookFacts({ webhook, turn }: { readonly webhook: WebhookDetail; readonly turn: number }) {
  return (
    <Facts
      facts={[
        { name: "State", value: <WebhookState webhook={webhook} /> },
        { name: "Waits", value: <Backlog webhook={webhook} /> },
        { name: "Arrived", value: <ShareFact key={turn} id={webhook.id} /> },
        { name: "Last success", value: <Moment at={webhook.last_success_at} /> },
        { name: "Registered", value: <Moment at={webhook.created_at} /> },
        { name: "Id", value: <Id id={webhook.id} /> },
      ]}
    />
  );
}

function ShareFact({ id }: { readonly id: string }) {
  const share = useSuccessShare(id);
  if (share === undefined) return <>–</>;
  if (share.tried === 0) return <>nothing was sent yet</>;
  return (
    <>
      {writeShare(share)}{" "}
      <span class="quiet">of the last {share.tried === 1 ? "delivery" : `${share.tried} deliveries`}</span>
    </>
  );
}
