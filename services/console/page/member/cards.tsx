import { useState } from "preact/hooks";
import type { AnswerFrom } from "../console-routes.ts";
import { Badge, type BadgeKind } from "../parts/badge.tsx";
import { Id } from "../parts/id.tsx";
import { Moment } from "../parts/moment.tsx";
import { Money } from "../parts/money.tsx";
import { Section } from "../parts/screen.tsx";
import { Failed, States } from "../parts/states.tsx";
import { type Column, MoreButton, PagedTable } from "../parts/table.tsx";
import { useList } from "../parts/use-list.ts";
import { count } from "../purchase/words.ts";
import { ProgramName, PurchaseLink, ROWS, useProgram } from "./names.tsx";

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

type Card = AnswerFrom<"publisher.v1/wallet.stamp-collection/list">["data"][number];

/** The member's stamp cards, the oldest first, each with how full it is. */
export function Cards({ memberId }: { readonly memberId: string }) {
  const pages = useList(
    "publisher.v1/wallet.stamp-collection/list",
    { member_id: memberId },
    { limit: ROWS },
  );
  return (
    <Section title="Stamp cards">
      <States
        call={pages}
        empty={{ when: ({ rows }) => rows.length === 0, say: "The member is in no loyalty program." }}
      >
        {({ rows, more, isLoadingMore, failure }) => (
          <>
            <ul class="cards">
              {rows.map((card) => (
                <StampCard key={card.id} card={card} />
              ))}
            </ul>
            {failure !== undefined && <Failed error={failure} />}
            {more !== undefined && <MoreButton more={more} isLoading={isLoadingMore} />}
          </>
        )}
      </States>
    </Section>
  );
}

function StampCard({ card }: { readonly card: Card }) {
  const { id, loyalty_program_id, unredeemed_purchases: stamps, created_at } = card;
  const [isOpen, setOpen] = useState(false);
  const threshold = useProgram(loyalty_program_id)?.qualifying_threshold;
  return (
    <li class="card">
      <div class="card-head">
        <h3>
          <ProgramName id={loyalty_program_id} />
        </h3>
        <span class="card-count">
          {threshold === undefined ? count(stamps, "stamp") : `${stamps} of ${threshold}`}
        </span>
      </div>
      {threshold !== undefined && (
        <meter
          min={0}
          max={threshold}
          value={Math.min(stamps, threshold)}
          aria-label={`${stamps} of ${threshold} stamps`}
        />
      )}
      <div class="card-foot">
        <span class="quiet">
          since <Moment at={created_at} grain="day" />
        </span>
        <Id id={id} />
      </div>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Every stamp</summary>
        {isOpen && <Stamps cardId={id} />}
      </details>
    </li>
  );
}

type Stamp = AnswerFrom<"publisher.v1/qualifying-purchase/list">["data"][number];

/** Every stamp that a card ever had, the oldest first: live, redeemed and taken back. */
function Stamps({ cardId }: { readonly cardId: string }) {
  const wanted = { stamp_collection_id: cardId };
  const pages = useList("publisher.v1/qualifying-purchase/list", wanted, { limit: ROWS });
  return (
    <PagedTable
      caption="Stamps of the card, oldest first"
      columns={COLUMNS}
      pages={pages}
      keyOf={({ id }) => id}
      none="No stamp was ever given on this card."
    />
  );
}
