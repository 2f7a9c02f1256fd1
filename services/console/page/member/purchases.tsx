import { useState } from "preact/hooks";
import type { AnswerFrom } from "../console-routes.ts";
import { Badge, type BadgeKind } from "../parts/badge.tsx";
import { Moment } from "../parts/moment.tsx";
import { AMOUNT, Money } from "../parts/money.tsx";
import { Section } from "../parts/screen.tsx";
import { type Column, PagedTable } from "../parts/table.tsx";
import { useList } from "../parts/use-list.ts";
import { daySpan } from "./day-span.ts";
import { PurchaseLink, ROWS } from "./names.tsx";

type Purchase = AnswerFrom<"publisher.v1/transaction/list">["data"][number];
type State = Purchase["state"];

interface Wanted {
  readonly state: State | "";
  /** Days as a date field gives them, `2026-11-23`; both count. */
  readonly from: string;
  readonly to: string;
}

const ALL: Wanted = { state: "", from: "", to: "" };

/** The member's purchases, the newest first, narrowed by state and by the days on which the card was authorized. */
export function Purchases({ memberId }: { readonly memberId: string }) {
  const [wanted, setWanted] = useState(ALL);
  const narrowed = {
    member_id: memberId,
    ...(wanted.state !== "" && { state: wanted.state }),
    ...daySpan(wanted.from, wanted.to),
  };
  const pages = useList("publisher.v1/transaction/list", narrowed, { limit: ROWS });
  const isNarrowed = wanted.state !== "" || wanted.from !== "" || wanted.to !== "";
  return (
    <Section title="Purchases" actions={<Filter wanted={wanted} onChange={setWanted} />}>
      <PagedTable
        caption="Purchases, newest first"
        columns={COLUMNS}
        pages={pages}
        keyOf={({ id }) => id}
        none={isNarrowed ? "The member has no such purchase." : "The member has bought nothing yet."}
      />
    </Section>
  );
}

interface FilterProps {
  readonly wanted: Wanted;
  readonly onChange: (wanted: Wanted) => void;
}

function Filter({ wanted, onChange }: FilterProps) {
  const { state, from, to } = wanted;
  return (
    <fieldset class="purchases-filter">
      <legend class="unseen">Which purchases</legend>
      <label>
        State{" "}
        <select
          value={state}
          onChange={({ currentTarget }) => onChange({ ...wanted, state: currentTarget.value as State | "" })}
        >
          <option value="">any</option>
          <option value="authorized">authorized</option>
          <option value="cleared">cleared</option>
          <option value="reverted">reverted</option>
        </select>
      </label>
      <label>
        From{" "}
        <input
          type="date"
          value={from}
          max={to}
          onChange={({ currentTarget }) => onChange({ ...wanted, from: currentTarget.value })}
        />
      </label>
      <label>
        to{" "}
        <input
          type="date"
          value={to}
          min={from}
          onChange={({ currentTarget }) => onChange({ ...wanted, to: currentTarget.value })}
        />
      </label>
    </fieldset>
  );
}

const STATES: Readonly<Record<State, BadgeKind>> = { authorized: "busy", cleared: "good", reverted: "plain" };

const COLUMNS: ReadonlyArray<Column<Purchase>> = [
  { title: "Authorized", cell: ({ authed_at }) => <Moment at={authed_at} grain="minute" /> },
  { title: "Purchase", cell: ({ external_id }) => <PurchaseLink externalId={external_id} /> },
  AMOUNT,
  { title: "State", cell: ({ state }) => <Badge kind={STATES[state]}>{state}</Badge> },
  { title: "Merchant", isExtra: true, cell: ({ merchant_id }) => <code>{merchant_id}</code> },
  {
    title: "On the statement",
    isExtra: true,
    cell: ({ statement_descriptor }) =>
      statement_descriptor === undefined ? (
        <span class="quiet">–</span>
      ) : (
        <span class="free-text">{statement_descriptor}</span>
      ),
  },
  {
    title: "Cashback",
    isNumber: true,
    isExtra: true,
    cell: ({ rewards }) =>
      rewards.map(({ id, amount, currency }) => (
        <div key={id}>
          <Money amount={amount} currency={currency} />
        </div>
      )),
  },
];
