import type { ComponentChildren } from "preact";

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

/** Rows of one kind. Thousands of them stay quick: what is out of sight is not drawn (`content-visibility`). */
export function Table<Row>({ caption, columns, rows, keyOf, more, isLoadingMore = false }: TableProps<Row>) {
  const classOf = ({ isNumber, isExtra }: Column<Row>) =>
    [isNumber && "number", isExtra && "extra"].filter(Boolean).join(" ") || undefined;
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
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.title} class={classOf(column)} data-title={column.title}>
                  <div>{column.cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {more !== undefined && (
        <button type="button" class="more" onClick={more} disabled={isLoadingMore}>
          {isLoadingMore ? "Loading" : "Show more"}
        </button>
      )}
    </div>
  );
}
