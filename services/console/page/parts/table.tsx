import { Component, type ComponentChildren } from "preact";
import type { CallState } from "../api.ts";
import { Failed, States } from "./states.tsx";
import type { Pages } from "./use-list.ts";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers and times are aligned at the right. */
  readonly isNumber?: boolean;
  /** Left out on narrow screens. */
  readonly isExtra?: boolean;
}

interface TableProps<Row> {
  /** Names the rows for screen readers. */
  readonly caption: string;
  readonly columns: ReadonlyArray<Column<Row>>;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** Present if there are more: asks for them. */
  readonly more?: (() => void) | undefined;
  readonly isLoadingMore?: boolean;
}

/** Rows of one kind. Thousands of them stay quick: when more come, the others are not rendered again. */
export function Table<Row>({ caption, columns, rows, keyOf, more, isLoadingMore = false }: TableProps<Row>) {
  return (
    <div class="table-place">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Line key={keyOf(row)} row={row} columns={columns} />
          ))}
        </tbody>
      </table>
      {more !== undefined && <MoreButton more={more} isLoading={isLoadingMore} />}
    </div>
  );
}

type LineProps<Row> = Pick<TableProps<Row>, "columns"> & { readonly row: Row };

/** Rendered again only for another row or other columns: these are constants, or memoized, where there are many rows. */
class Line<Row> extends Component<LineProps<Row>> {
  override shouldComponentUpdate({ row, columns }: LineProps<Row>): boolean {
    return row !== this.props.row || columns !== this.props.columns;
  }

  override render({ row, columns }: LineProps<Row>) {
    return (
      <tr>
        {columns.map((column) => (
          <td key={column.title} class={classOf(column)} data-title={column.title}>
            <div>{column.cell(row)}</div>
          </td>
        ))}
      </tr>
    );
  }
}

function classOf<Row>({ isNumber, isExtra }: Column<Row>): string | undefined {
  return [isNumber && "number", isExtra && "extra"].filter(Boolean).join(" ") || undefined;
}

interface MoreButtonProps {
  readonly more: () => void;
  readonly isLoading: boolean;
  readonly title?: string;
}

/** Asks for the next page. While the page loads the button keeps the focus; a disabled button would lose it. */
export function MoreButton({ more, isLoading, title = "Show more" }: MoreButtonProps) {
  return (
    <button type="button" class="more" aria-disabled={isLoading} onClick={() => isLoading || more()}>
      {isLoading ? "Loading" : title}
    </button>
  );
}

interface PagedTableProps<Row> extends Pick<TableProps<Row>, "caption" | "columns" | "keyOf"> {
  readonly pages: CallState<Pages<Row>>;
  /** Shown if there is no row. */
  readonly none: string;
}

/**
 * The rows of all pages so far, more of them on demand, and why the next page could not be loaded. The APIs look at a bounded
 * number of records for each page, so a page may be empty and not be the last.
 */
export function PagedTable<Row>({ pages, none, ...table }: PagedTableProps<Row>) {
  return (
    <States call={pages}>
      {({ rows, more, isLoadingMore, failure }) => (
        <>
          {rows.length > 0 ? (
            <Table {...table} rows={rows} more={more} isLoadingMore={isLoadingMore} />
          ) : (
            <p class="empty">
              {more === undefined ? none : "Nothing found so far."}{" "}
              {more !== undefined && (
                <MoreButton more={more} isLoading={isLoadingMore} title="Look further" />
              )}
            </p>
          )}
          {failure !== undefined && <Failed error={failure} />}
        </>
      )}
    </States>
  );
}
