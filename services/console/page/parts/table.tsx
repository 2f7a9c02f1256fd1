import { Component, type ComponentChildren } from "preact";
import { Failed } from "./states.tsx";
import type { Pages } from "./use-pages.ts";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers and times stand at the right, under each other. */
  readonly isNumber?: boolean;
  /** Left out where there is no room, as on a phone. */
  readonly isExtra?: boolean;
}

export interface TableProps<Row> {
  /** What the rows are, for those who do not see them. */
  readonly caption: string;
  readonly columns: ReadonlyArray<Column<Row>>;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** Present if there are more: asks for them. */
  readonly more?: (() => void) | undefined;
  readonly isLoadingMore?: boolean;
}

/** Rows of one kind. Thousands of them stay quick: those that are there are not made again when more of them come. */
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

/** Made again only for another row, or for other columns: constants, or remembered, where there are many rows. */
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

/** Asks for what comes next. While it is loading it keeps the focus, which a disabled button would lose. */
export function MoreButton({ more, isLoading, title = "Show more" }: MoreButtonProps) {
  return (
    <button type="button" class="more" aria-disabled={isLoading} onClick={() => isLoading || more()}>
      {isLoading ? "Loading" : title}
    </button>
  );
}

interface PagedTableProps<Row> extends Pick<TableProps<Row>, "caption" | "columns" | "keyOf"> {
  readonly pages: Pages<Row>;
}

/** The rows of all pages so far, more of them on demand, and why the next page could not be had. */
export function PagedTable<Row>({ pages, ...table }: PagedTableProps<Row>) {
  const { rows, more, isLoadingMore, failure } = pages;
  return (
    <>
      <Table {...table} rows={rows} more={more} isLoadingMore={isLoadingMore} />
      {failure !== undefined && <Failed error={failure} />}
    </>
  );
}
