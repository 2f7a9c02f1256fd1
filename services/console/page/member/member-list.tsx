import type { ComponentChildren } from "preact";
import type { CallState } from "../api.ts";
import { Link, pathOf } from "../frame/router.tsx";
import { Section } from "../parts/screen.tsx";
import { Failed, States } from "../parts/states.tsx";
import { type Column, MoreButton, PagedTable } from "../parts/table.tsx";
import type { Pages } from "../parts/use-pages.ts";

/** How many rows of a list are asked for at a time. */
export const ROWS = 50;

interface MemberListProps<Row> {
  readonly title: string;
  readonly caption: string;
  readonly actions?: ComponentChildren;
  readonly columns: ReadonlyArray<Column<Row>>;
  readonly pages: CallState<Pages<Row>>;
  readonly keyOf: (row: Row) => string;
  /** What there is to say if there is no row. */
  readonly none: string;
}

/** A list of what a member has, in a section of its own. */
export function MemberList<Row>({ title, actions, none, pages, ...table }: MemberListProps<Row>) {
  return (
    <Section title={title} actions={actions}>
      <States call={pages}>{(answer) => <Rows {...table} none={none} pages={answer} />}</States>
    </Section>
  );
}

type RowsProps<Row> = Omit<MemberListProps<Row>, "title" | "actions" | "pages"> & {
  readonly pages: Pages<Row>;
};

/**
 * The rows, and more of them on demand. A page looks at a bounded number of records, so it may be empty and still not be the
 * last.
 */
export function Rows<Row>({ caption, columns, keyOf, none, pages }: RowsProps<Row>) {
  const { rows, more, isLoadingMore, failure } = pages;
  if (rows.length > 0) return <PagedTable caption={caption} columns={columns} pages={pages} keyOf={keyOf} />;
  return (
    <>
      <p class="empty">
        {more === undefined ? none : "Nothing among the newest 10,000."}{" "}
        {more !== undefined && <MoreButton more={more} isLoading={isLoadingMore} title="Look further back" />}
      </p>
      {failure !== undefined && <Failed error={failure} />}
    </>
  );
}

/** A purchase, by the name that the integrator gave it. */
export function PurchaseLink({ externalId }: { readonly externalId: string }) {
  return (
    <Link to={pathOf("purchase", externalId)} class="purchase-link">
      {externalId}
    </Link>
  );
}
