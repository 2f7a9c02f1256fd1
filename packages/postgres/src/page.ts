/**
 * Which part of a list ordered by id: up to `limit` records behind the id `after`, the first `skip` of them
 * left out.
 */
export interface PageRequest {
  readonly limit: number;
  readonly after?: string | undefined;
  readonly skip?: number | undefined;
}

export interface Page<T> {
  readonly records: readonly T[];
  /** Whether a record stands behind the last one. */
  readonly more: boolean;
}

export interface CountedPage<T> extends Page<T> {
  /** Records of the whole list, on whatever page. */
  readonly total: number;
}

/** Lists read one row more than asked for: that it exists is the answer to `more`, without counting. */
export function toPage<T>(rows: readonly T[], limit: number): Page<T> {
  return { records: rows.slice(0, limit), more: rows.length > limit };
}
