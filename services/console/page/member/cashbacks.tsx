import type { AnswerFrom } from "../console-routes.ts";
import { Badge, type BadgeKind } from "../parts/badge.tsx";
import { Moment } from "../parts/moment.tsx";
import { AMOUNT } from "../parts/money.tsx";
import { Section } from "../parts/screen.tsx";
import { type Column, PagedTable } from "../parts/table.tsx";
import { useList } from "../parts/use-list.ts";
import { PurchaseLink, ROWS, SourceName } from "./names.tsx";

type Cashback = AnswerFrom<"publisher.v1/wallet.cashback/list">["data"][number];

/** The money that a member got, or gets once its purchase clears; the oldest first. */
export function Cashbacks({ memberId }: { readonly memberId: string }) {
  const pages = useList("publisher.v1/wallet.cashback/list", { member_id: memberId }, { limit: ROWS });
  return (
    <Section title="Cashbacks">
      <PagedTable
        caption="Cashbacks, oldest first"
        columns={COLUMNS}
        pages={pages}
        keyOf={({ id }) => id}
        none="The member has no cashback."
      />
    </Section>
  );
}

export const CASHBACK_BADGES: Readonly<Record<Cashback["state"], BadgeKind>> = {
  pending: "busy",
  cleared: "good",
  reverted: "plain",
};

const COLUMNS: ReadonlyArray<Column<Cashback>> = [
  { title: "Made", cell: ({ created_at }) => <Moment at={created_at} grain="minute" /> },
  { title: "For", cell: ({ source }) => <SourceName source={source} /> },
  { title: "Purchase", cell: ({ transaction_ref }) => <PurchaseLink externalId={transaction_ref} /> },
  AMOUNT,
  { title: "State", cell: ({ state }) => <Badge kind={CASHBACK_BADGES[state]}>{state}</Badge> },
  {
    title: "Settled",
    isExtra: true,
    cell: ({ cleared_at, reverted_at }) => <Moment at={cleared_at ?? reverted_at} grain="minute" />,
  },
];
