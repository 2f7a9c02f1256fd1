import type { AnswerFrom } from "../console-routes.ts";
import { Badge, type BadgeKind } from "../parts/badge.tsx";
import { Moment } from "../parts/moment.tsx";
import { Money } from "../parts/money.tsx";
import { States } from "../parts/states.tsx";
import type { Column } from "../parts/table.tsx";
import { useList } from "../parts/use-pages.ts";
import { PurchaseLink, ROWS, Rows } from "./member-list.tsx";

type Stamp = AnswerFrom<"publisher.v1/qualifying-purchase/list">["data"][number];

/** Every stamp that a card ever had, the oldest first: live, redeemed and taken back. */
export function Stamps({ cardId }: { readonly cardId: string }) {
  const wanted = { stamp_collection_id: cardId };
  const pages = useList("publisher.v1/qualifying-purchase/list", wanted, { limit: ROWS });
  return (
    <States call={pages}>
      {(answer) => (
        <Rows
          caption="Stamps of the card, oldest first"
          columns={COLUMNS}
          pages={answer}
          keyOf={({ id }) => id}
          none="No stamp was ever given on this card."
        />
      )}
    </States>
  );
}

const STATES: Readonly<Record<Stamp["state"], readonly [text: string, kind: BadgeKind]>> = {
  live: ["counts", "good"],
  redeemed: ["redeemed", "plain"],
  voided: ["taken back", "plain"],
};

const COLUMNS: ReadonlyArray<Column<Stamp>> = [
  { title: "Given", cell: ({ created_at }) => <Moment at={created_at} grain="minute" /> },
  { title: "Purchase", cell: ({ transaction_ref }) => <PurchaseLink externalId={transaction_ref} /> },
  {
    title: "Amount",
    isNumber: true,
    cell: ({ purchase_amount, currency, transaction }) => (
      <Money amount={purchase_amount ?? transaction?.amount} currency={currency ?? transaction?.currency} />
    ),
  },
  {
    title: "State",
    cell: ({ state }) => {
      const [text, kind] = STATES[state];
      return <Badge kind={kind}>{text}</Badge>;
    },
  },
];
