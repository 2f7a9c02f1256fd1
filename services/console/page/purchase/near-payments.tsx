import { useState } from "preact/hooks";
import { Moment } from "../parts/moment.tsx";
import { AMOUNT } from "../parts/money.tsx";
import { Section } from "../parts/screen.tsx";
import { type Column, PagedTable, Table } from "../parts/table.tsx";
import { useList } from "../parts/use-list.ts";
import type { Explanation, NearMiss, Payment } from "./shapes.ts";

/** How long before and after the purchase payments are listed. */
const REACH_MS = 60 * 60_000;
const ROWS = 50;

/** For a purchase that waits for its payment: open payments that nearly fit, and all that the retailer sent at that time. */
export function NearPayments({ explanation }: { readonly explanation: Explanation }) {
  const [isAsked, setAsked] = useState(false);
  const { routing, purchase, payment, near_misses: near } = explanation;
  const [retailer] = routing.retailers;
  if (routing.outcome !== "routed" || retailer === undefined) return null;
  if (payment !== undefined || purchase.state === "reverted") return null;
  const actions = (
    <button type="button" onClick={() => setAsked(true)} disabled={isAsked}>
      Show all of that hour
    </button>
  );
  return (
    <Section title="Did the till send it?" actions={actions}>
      {near.length === 0 ? (
        <p class="empty">No open payment of {retailer.name ?? "the retailer"} comes near to this purchase.</p>
      ) : (
        <Table
          caption="Open payments that differ in one thing, the nearest first"
          columns={NEAR}
          rows={near}
          keyOf={({ payment_id }) => payment_id}
        />
      )}
      {isAsked && <PaymentsAround retailerId={retailer.id} at={purchase.authed_at} />}
    </Section>
  );
}

function PaymentsAround({ retailerId, at }: { readonly retailerId: string; readonly at: string }) {
  const moved = (by: number) => new Date(Date.parse(at) + by).toISOString();
  const wanted = { retailer_id: retailerId, since: moved(-REACH_MS), until: moved(REACH_MS) };
  const pages = useList("platform.v1/payment/list", wanted, { limit: ROWS });
  return (
    <PagedTable
      caption="Payments of an hour before and after, the newest first; without those of other organisations' purchases"
      pages={pages}
      columns={AROUND}
      keyOf={({ payment_id }) => payment_id}
      none="It has sent no payment within an hour before or after the purchase."
    />
  );
}

type Common = Pick<NearMiss, "payment_id" | "amount" | "currency" | "paid_at">;
const PAID: Column<Common> = { title: "Paid", cell: ({ paid_at }) => <Moment at={paid_at} /> };
const NAME: Column<Common> = {
  title: "The till's own id",
  cell: ({ payment_id }) => <code>{payment_id}</code>,
};
const NEAR: ReadonlyArray<Column<NearMiss>> = [
  PAID,
  NAME,
  AMOUNT,
  { title: "What differs", cell: ({ text }) => text },
];
const AROUND: ReadonlyArray<Column<Payment>> = [
  PAID,
  NAME,
  AMOUNT,
  { title: "State", cell: ({ state }) => state },
];
