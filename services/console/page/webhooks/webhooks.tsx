import { useCall } from "../api.ts";
import { pathOf } from "../frame/path-of.ts";
import { Link } from "../frame/router.tsx";
import { Moment } from "../parts/moment.tsx";
import { Screen } from "../parts/screen.tsx";
import { type Column, PagedTable } from "../parts/table.tsx";
import { useList } from "../parts/use-list.ts";
import { writeShare } from "./success-share.ts";
import { Backlog, useSuccessShare, WebhookState } from "./webhook-parts.tsx";
import type { Webhook } from "./webhook-types.ts";

/** Each row asks two questions of its own. */
const ROWS = 25;

/** All webhooks of the organisation, with their states and the events that wait for them. */
export function WebhooksPage() {
  const pages = useList("publisher.v1/webhook/list", {}, { limit: ROWS });
  return (
    <Screen title="Webhooks" lead="Where events of this organisation are sent to, and whether they arrive.">
      <PagedTable
        caption="Webhooks, oldest first"
        columns={COLUMNS}
        pages={pages}
        keyOf={({ id }) => id}
        none="No webhook is registered. The integrator registers them with webhook/create."
      />
    </Screen>
  );
}

const COLUMNS: Column<Webhook>[] = [
  {
    title: "Webhook",
    cell: ({ id, url, description }) => (
      <>
        <Link to={pathOf("webhook", id)}>{description || url}</Link>
        {description !== "" && <div class="quiet">{url}</div>}
      </>
    ),
  },
  { title: "State", cell: (webhook) => <WebhookState webhook={webhook} /> },
  { title: "Waits", cell: ({ id }) => <Waits id={id} /> },
  { title: "Arrived", isNumber: true, cell: ({ id }) => <Share id={id} /> },
  {
    title: "Last success",
    isExtra: true,
    isNumber: true,
    cell: ({ last_success_at: at }) => <Moment at={at} />,
  },
];

const REFRESH_MS = 10_000;

function Waits({ id }: { readonly id: string }) {
  const webhook = useCall("publisher.v1/webhook/get", { id }, { everyMs: REFRESH_MS });
  return webhook.state === "ready" ? <Backlog webhook={webhook.answer} /> : <span class="quiet">–</span>;
}

function Share({ id }: { readonly id: string }) {
  const share = useSuccessShare(id);
  if (share === undefined) return <span class="quiet">–</span>;
  return <span title={`of the last ${share.tried} that were tried`}>{writeShare(share)}</span>;
}
