/**
 * Which part of a list ordered by id: up to `limit` records after the id `after`, without the first `skip` of
 * them.
 */
export interface PageRequest {
  readonly limit: number;
  readonly after?: string | undefined;
  readonly skip?: number | undefined;
}

export interface Page<T> {
  readonly records: readonly T[];
  /** Whether there are records after the last one. */
  readonly more: boolean;
}

export interface CountedPage<T> extends Page<T> {
  /** How many records the whole list has, whatever the page. */
  readonly total: number;
}

/** Lists read one row more than was asked for: whether it exists gives `more` without counting. */
export function toPage<T>(rows: readonly T[], limit: number): Page<T> {
  return { records: rows.slice(0, limit), more: rows.length > limit };
}
