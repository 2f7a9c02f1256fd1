import {
  type Fragment,
  keyset,
  type MeasuredRow,
  type Page,
  type PageRequest,
  type Sql,
  type Store,
  toMeasuredPage,
  utc,
  withinBytes,
} from "#postgres";
import { changeConfiguration } from "./configuration.ts";

/** The columns that the tables of programs and deals share. */
export interface VersionedRow {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly deletedAt: Date | null;
  /** Grows with every change of this record, including its deletion. */
  readonly revision: number;
}

/** A value of `retroactive` in the rules, and since when it is in force. */
export interface RetroactiveSpan {
  /** RFC 3339, to the microsecond. */
  readonly since: string;
  readonly retroactive: boolean;
}

/** The number of `retroactive` changes that publishers get; older ones decide no future purchase. */
const SPANS_TOLD = 100;

/** The fields that a caller sets, with the record's id. */
export type Identified<Fields> = Fields & { readonly id: string };

/** The differences between the two tables. */
interface VersionedTableKind<Fields> {
  /** The table's name with its schema. */
  readonly name: string;
  /** The columns of a row that `VersionedRow` does not have. */
  columns(sql: Sql): Fragment;
  /** The values of the columns that a caller sets. */
  values(sql: Sql, fields: Fields): Readonly<Record<string, Fragment>>;
}

/**
 * The statements for programs and deals, whose tables are alike: every change makes a revision to be
 * published, and a deleted record stays as its last revision.
 */
export class VersionedTable<Row extends VersionedRow, Fields> {
  readonly #kind: VersionedTableKind<Fields>;

  constructor(kind: VersionedTableKind<Fields>) {
    this.#kind = kind;
  }

  #columns(sql: Sql): Fragment {
    return sql`
      id, created_at as "createdAt", updated_at as "updatedAt", deleted_at as "deletedAt", revision, ${this.#kind.columns(sql)}`;
  }

  async create(store: Store | Sql, record: Identified<Fields>): Promise<Row> {
    const created = await changeConfiguration(store, async (sql) => {
      const values = this.#kind.values(sql, record);
      const columns = Object.keys(values).map((column) => sql`${sql(column)}`);
      const [row] = await sql<Row[]>`
        insert into ${sql(this.#kind.name)} (id, ${listed(sql, columns)})
        values (${record.id}, ${listed(sql, Object.values(values))})
        returning ${this.#columns(sql)}`;
      return row;
    });
    return created as Row;
  }

  /**
   * Sets all fields. Takes the time of the change, as in its revision: the answer says since when the change
   * is in force, even after a wait for another change.
   * @returns undefined if there is no such record, or it was deleted
   */
  async replace(store: Store, record: Identified<Fields>): Promise<Row | undefined> {
    const replace = async (sql: Sql) => {
      const values = Object.entries(this.#kind.values(sql, record));
      const assignments = values.map(([column, value]) => sql`${sql(column)} = ${value}`);
      const [replaced] = await sql<Row[]>`
        update ${sql(this.#kind.name)} set
          revision = revision + 1, updated_at = platform.change_time(), ${listed(sql, assignments)}
        where id = ${record.id} and deleted_at is null
        returning ${this.#columns(sql)}`;
      return replaced;
    };
    return changeConfiguration(store, replace, (sql) => this.#lock(sql, record.id));
  }

  /**
   * Deletes a record, and returns its last state; undefined: there is no such record, or it was deleted
   * before.
   */
  async delete(store: Store, id: string): Promise<Row | undefined> {
    const remove = async (sql: Sql) => {
      const [deleted] = await sql<Row[]>`
        update ${sql(this.#kind.name)} set deleted_at = platform.change_time(), revision = revision + 1
        where id = ${id} and deleted_at is null
        returning ${this.#columns(sql)}`;
      return deleted;
    };
    return changeConfiguration(store, remove, (sql) => this.#lock(sql, id));
  }

  /** @returns whether there is such a record */
  async #lock(sql: Sql, id: string): Promise<boolean> {
    const rows = await sql`
      select 1 from ${sql(this.#kind.name)} where id = ${id} and deleted_at is null for update`;
    return rows.length > 0;
  }

  /** @returns undefined if there is no such record, or it was deleted */
  async get(sql: Sql, id: string): Promise<Row | undefined> {
    const [row] = await sql<Row[]>`
      select ${this.#columns(sql)} from ${sql(this.#kind.name)} where id = ${id} and deleted_at is null`;
    return row;
  }

  /** Oldest first, without the deleted ones. */
  async list(sql: Sql, page: PageRequest): Promise<Page<Row>> {
    const listed = sql`
      select ${this.#columns(sql)} from ${sql(this.#kind.name)}
      where deleted_at is null ${keyset(sql, page)}`;
    const rows = await sql<(Row & MeasuredRow)[]>`
      ${withinBytes(sql, { rows: listed, order: sql`id`, long: [sql`"displayContent"`, sql`rules`] })}`;
    return toMeasuredPage(rows, page.limit);
  }

  /** Records in the order of ids, with deleted ones: all, or only those whose last revision is not published. */
  async revisions(
    sql: Sql,
    page: PageRequest & { readonly unpublished: boolean },
  ): Promise<(Row & { readonly retroactiveSpans: readonly RetroactiveSpan[] })[]> {
    const which = page.unpublished ? sql`published_revision < revision` : sql`true`;
    const rows = await sql<(Row & { retroactiveSpans: RetroactiveSpan[] })[]>`
      select ${this.#columns(sql)}, ${retroactiveSpans(sql, this.#kind.name)} as "retroactiveSpans"
      from ${sql(this.#kind.name)} where ${which} ${keyset(sql, page)}`;
    return rows.slice(0, page.limit);
  }

  /**
   * Gives a record a revision above a published one, if it still has the revision that was read: the database
   * was restored since. If it has another revision, it was changed meanwhile, and that change may be the
   * published one.
   * @returns whether it still had that revision
   */
  async passRevision(
    sql: Sql,
    { id, revision }: Pick<VersionedRow, "id" | "revision">,
    told: number,
  ): Promise<boolean> {
    const rows = await sql`
      update ${sql(this.#kind.name)} set revision = ${told + 1} where id = ${id} and revision = ${revision} returning id`;
    return rows.length > 0;
  }

  /** Marks a revision as published. Does nothing if a newer one is marked already. */
  async markPublished(sql: Sql, { id, revision }: Pick<VersionedRow, "id" | "revision">): Promise<void> {
    await sql`
      update ${sql(this.#kind.name)} set published_revision = ${revision}
      where id = ${id} and published_revision < ${revision}`;
  }
}

function listed(sql: Sql, parts: readonly Fragment[]): Fragment {
  return parts.reduce((all, one) => sql`${all}, ${one}`);
}

/** The changes of `retroactive` only, from the revisions before a deletion. */
function retroactiveSpans(sql: Sql, table: string): Fragment {
  return sql`(
    select coalesce(json_agg(json_build_object('since', since, 'retroactive', retroactive) order by since), '[]')
    from (
      select ${utc(sql, "since")} as since, retroactive
      from (
        select since, retroactive, lag(retroactive) over (order by since) as before
        from (
          select since, coalesce((settings -> 'rules' ->> 'retroactive')::boolean, false) as retroactive
          from platform.revisions where revisions.id = ${sql(`${table}.id`)} and settings is not null
        ) as said
      ) as spans
      where retroactive is distinct from before
      order by spans.since desc
      limit ${SPANS_TOLD}
    ) as told
  )`;
}
