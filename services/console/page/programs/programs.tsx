import type { ComponentChildren } from "preact";
import type { CallState } from "../api.ts";
import { pathOf } from "../frame/path-of.ts";
import { mayActAs, useSession } from "../frame/roles.ts";
import { Link } from "../frame/router.tsx";
import { Moment } from "../parts/moment.tsx";
import { moneyText } from "../parts/money.tsx";
import { Screen } from "../parts/screen.tsx";
import { type Column, PagedTable } from "../parts/table.tsx";
import { type Pages, useList } from "../parts/use-list.ts";
import type { Deal, Program, Retailer } from "./program-types.ts";
import { LISTS, type RecordKind } from "./record-editor.tsx";

export function ProgramsPage() {
  const pages = useList("platform.v1/loyalty-program/list", {}, { limit: ROWS });
  return (
    <List
      kind="program"
      lead="Stamp cards: after a number of purchases, one is paid back."
      pages={pages}
      columns={PROGRAMS}
    />
  );
}

export function DealsPage() {
  const pages = useList("platform.v1/deal/list", {}, { limit: ROWS });
  return (
    <List kind="deal" lead="Offers that a member saves and redeems once." pages={pages} columns={DEALS} />
  );
}

export function RetailersPage() {
  const pages = useList("platform.v1/retailer/list", {}, { limit: ROWS });
  return (
    <List
      kind="retailer"
      lead="Which merchant ids belong to which retailer. Purchases at other merchant ids count for nothing."
      pages={pages}
      columns={RETAILERS}
    />
  );
}

const ROWS = 100;

interface ListProps<Row> {
  readonly kind: RecordKind;
  readonly lead: string;
  readonly pages: CallState<Pages<Row>>;
  readonly columns: readonly Column<Row>[];
}

function List<Row extends { readonly id: string }>({ kind, lead, pages, columns }: ListProps<Row>) {
  const { role } = useSession();
  const { title } = LISTS[kind];
  const actions = mayActAs(role, "administrator") ? (
    <Link to={pathOf(kind, "new")} class="button">
      New {kind}
    </Link>
  ) : undefined;
  return (
    <Screen title={title} lead={lead} actions={actions}>
      <nav class="tabs" aria-label="Lists of the platform">
        {Object.entries(LISTS).map(([name, list]) => (
          <Link key={name} to={list.path} current={name === kind}>
            {list.title}
          </Link>
        ))}
      </nav>
      <PagedTable
        caption={`${title}, oldest first`}
        columns={columns}
        pages={pages}
        keyOf={({ id }) => id}
        none="There are none yet."
      />
    </Screen>
  );
}

const named = (
  kind: RecordKind,
  { id, name }: { readonly id: string; readonly name: string },
): ComponentChildren => <Link to={pathOf(kind, id)}>{name}</Link>;

/** `M-1, M-2 and 14 more`. */
function merchantWords(ids: readonly string[]): string {
  const shown = ids.slice(0, 3).join(", ");
  return ids.length > 3 ? `${shown} and ${ids.length - 3} more` : shown;
}

const PROGRAMS: Column<Program>[] = [
  { title: "Program", cell: (program) => named("program", program) },
  { title: "Stamps", isNumber: true, cell: ({ qualifying_threshold: stamps }) => stamps },
  {
    title: "Reward",
    cell: ({ reward_config: reward, rules }) =>
      reward.type === "refund" ? "the purchase back" : moneyText(reward.amount, rules.currency),
  },
  {
    title: "Merchant ids",
    isExtra: true,
    cell: ({ rules }) => <code>{merchantWords(rules.merchant_ids)}</code>,
  },
  { title: "Changed", isNumber: true, cell: ({ updated_at: at }) => <Moment at={at} /> },
];

const DEALS: Column<Deal>[] = [
  { title: "Deal", cell: (deal) => named("deal", deal) },
  { title: "Reward", cell: ({ reward_config: reward, rules }) => dealWords(reward, rules.currency) },
  {
    title: "Starts",
    isNumber: true,
    isExtra: true,
    cell: ({ starts_at: at }) => <Moment at={at} grain="minute" />,
  },
  {
    title: "Ends",
    isNumber: true,
    isExtra: true,
    cell: ({ ends_at: at }) => <Moment at={at} grain="minute" />,
  },
  {
    title: "Merchant ids",
    isExtra: true,
    cell: ({ rules }) => <code>{merchantWords(rules.merchant_ids)}</code>,
  },
  { title: "Changed", isNumber: true, cell: ({ updated_at: at }) => <Moment at={at} /> },
];

function dealWords(reward: Deal["reward_config"], currency: string | undefined): string {
  if (reward.type === "fixed") return moneyText(reward.amount, reward.currency);
  const share = `${reward.percent} %`;
  return reward.max_amount === undefined
    ? share
    : `${share}, at most ${moneyText(reward.max_amount, currency)}`;
}

const RETAILERS: Column<Retailer>[] = [
  { title: "Retailer", cell: (retailer) => named("retailer", retailer) },
  { title: "Merchant ids", cell: ({ merchant_ids: ids }) => <code>{merchantWords(ids)}</code> },
  {
    title: "Descriptors",
    isExtra: true,
    cell: ({ statement_descriptors: texts }) => (texts.length === 0 ? "–" : merchantWords(texts)),
  },
  { title: "Changed", isNumber: true, cell: ({ updated_at: at }) => <Moment at={at} /> },
];
