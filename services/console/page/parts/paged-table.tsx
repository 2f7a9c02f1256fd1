import { Failed } from "./states.tsx";
import { Table, type TableProps } from "./table.tsx";
import type { Pages } from "./use-pages.ts";

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
