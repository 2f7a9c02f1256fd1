import type { AnswerFrom } from "../console-routes.ts";
import { Badge } from "../parts/badge.tsx";
import { Moment } from "../parts/moment.tsx";
import { Money } from "../parts/money.tsx";
import { Section } from "../parts/screen.tsx";
import { type Column, PagedTable } from "../parts/table.tsx";
import { useList } from "../parts/use-list.ts";
import { count } from "../purchase/words.ts";
import { CASHBACK_BADGES } from "./cashbacks.tsx";
import { ProgramName, PurchaseLink } from "./names.tsx";

type Redemption = AnswerFrom<"publisher.v1/wallet.redemption/list">["data"][number];

/** Each may bring hundreds of stamps. */
const REDEMPTIONS_SHOWN = 20;
/** The stamps that are listed: a card may need a million. */
const STAMPS_NAMED = 50;

/** The member's full cards, the oldest first, each with its purchases. */
export function Redemptions({ memberId }: { readonly memberId: string }) {
  const options = { limit: REDEMPTIONS_SHOWN };
  const pages = useList("publisher.v1/wallet.redemption/list", { member_id: memberId }, options);
  return (
    <Section title="Full cards">
      <PagedTable
        caption="Redemptions, oldest first"
        columns={COLUMNS}
        pages={pages}
        keyOf={({ id }) => id}
        none="No card of the member was full yet."
      />
    </Section>
  );
}

const COLUMNS: ReadonlyArray<Column<Redemption>> = [
  { title: "Full", cell: ({ created_at }) => <Moment at={created_at} grain="minute" /> },
  { title: "Program", cell: ({ loyalty_program_id }) => <ProgramName id={loyalty_program_id} /> },
  {
    title: "Cashback",
    isNumber: true,
    cell: ({ cashback: { amount, currency } }) => <Money amount={amount} currency={currency} />,
  },
  { title: "State", cell: (redemption) => <RedemptionState redemption={redemption} /> },
  { title: "Stamps", cell: (redemption) => <RedeemedStamps redemption={redemption} /> },
];

function RedemptionState({ redemption: { state, cashback } }: { readonly redemption: Redemption }) {
  if (state === "undone") return <Badge>undone</Badge>;
  return <Badge kind={CASHBACK_BADGES[cashback.state]}>{`cashback ${cashback.state}`}</Badge>;
}

function RedeemedStamps({ redemption: { stamps, stamps_total } }: { readonly redemption: Redemption }) {
  const named = stamps.slice(0, STAMPS_NAMED);
  const others = stamps_total - named.length;
  return (
    <details>
      <summary>{count(stamps_total, "stamp")}</summary>
      <ol class="redeemed-stamps">
        {named.map(({ id, transaction_ref, created_at }) => (
          <li key={id}>
            <Moment at={created_at} grain="minute" /> <PurchaseLink externalId={transaction_ref} />
          </li>
        ))}
        {others > 0 && <li class="quiet">and {count(others, "other")}, which are on the card</li>}
      </ol>
    </details>
  );
}
