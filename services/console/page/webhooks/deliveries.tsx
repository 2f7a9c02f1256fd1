import { useState } from "preact/hooks";
import { pathOf } from "../frame/path-of.ts";
import { Link } from "../frame/router.tsx";
import { Moment } from "../parts/moment.tsx";
import { Section } from "../parts/screen.tsx";
import { type Column, PagedTable } from "../parts/table.tsx";
import { useList } from "../parts/use-list.ts";
import { attemptWords } from "./attempt-words.ts";
import { DeliveryState, Duration } from "./webhook-parts.tsx";
import type { Delivery } from "./webhook-types.ts";

/** Which deliveries are shown. */
const CHOICES = ["all", "pending", "delivered", "failed"] as const;
type Choice = (typeof CHOICES)[number];

interface DeliveriesProps {
  readonly webhookId: string;
  /** Another number asks for them again, because the webhook was changed. */
  readonly turn: number;
}

/** The deliveries of a webhook, newest first. */
export function Deliveries({ webhookId, turn }: DeliveriesProps) {
  const [choice, setChoice] = useState<Choice>("all");
  const [asked, setAsked] = useState(0);
  const wanted = {
    webhook_id: webhookId,
    order: "newest" as const,
    ...(choice !== "all" && { state: choice }),
  };
  // Both only ever grow.
  const options = { limit: 100, turn: turn + asked };
  const pages = useList("publisher.v1/webhook.delivery/list", wanted, options);
  const actions = (
    <>
      <label>
        <span class="quiet">Show</span>{" "}
        <select value={choice} onChange={(event) => setChoice(event.currentTarget.value as Choice)}>
          {CHOICES.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <button type="button" onClick={() => setAsked((last) => last + 1)}>
        Refresh
      </button>
    </>
  );
  return (
    <Section title="Deliveries" actions={actions}>
      <PagedTable
        caption="Deliveries, newest first"
        columns={COLUMNS}
        pages={pages}
        keyOf={({ id }) => id}
        none={
          choice === "all"
            ? "Nothing was sent in the last 30 days."
            : `No delivery of the last 30 days is ${choice}.`
        }
      />
    </Section>
  );
}

const COLUMNS: Column<Delivery>[] = [
  {
    title: "Made",
    cell: ({ id, created_at: at }) => (
      <Link to={pathOf("delivery", id)}>
        <Moment at={at} />
      </Link>
    ),
  },
  { title: "State", cell: ({ state }) => <DeliveryState state={state} /> },
  { title: "Events", isNumber: true, cell: ({ event_ids: ids }) => ids.length },
  { title: "Attempts", isNumber: true, cell: ({ attempts }) => attempts },
  { title: "Last answer", cell: (delivery) => attemptWords(delivery) },
  { title: "Took", isNumber: true, isExtra: true, cell: ({ duration_ms: ms }) => <Duration ms={ms} /> },
  {
    title: "Next attempt",
    isNumber: true,
    isExtra: true,
    cell: ({ next_attempt_at: at }) => <Moment at={at} />,
  },
];
