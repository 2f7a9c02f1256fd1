import type postgres from "postgres";
import { deriveOperation, operationOf } from "./statement-operation.ts";

/** A parameter in `${}`: a value, a piece of a statement, or a name. undefined is stored as null. */
type Parameter =
  | null
  | undefined
  | string
  | number
  | boolean
  | Date
  | Uint8Array
  | readonly (string | number | boolean | null)[]
  | Statement<readonly object[]>
  | Identifier;

type Row = Record<string, unknown>;

/** Sends a statement and returns its rows. */
type Run = <Rows extends readonly object[]>(statement: Statement<Rows>) => Promise<Rows>;

/**
 * SQL text with its parameters. Awaiting it sends it and gives the rows; awaiting it again sends it again. A
 * statement inside another one becomes part of that one, and is not sent alone.
 */
export class Statement<Rows extends readonly object[]> implements PromiseLike<Rows> {
  readonly #strings: TemplateStringsArray;
  readonly #parameters: readonly Parameter[];
  readonly #run: Run;
  #prepared = true;

  constructor(strings: TemplateStringsArray, parameters: readonly Parameter[], run: Run) {
    this.#strings = strings;
    this.#parameters = parameters;
    this.#run = run;
  }

  /**
   * The name of the operation, for metrics. If the table's name is a parameter, that name is used; if the
   * text has no table, the one of its first piece with a table.
   */
  get operation(): string {
    if (!this.#parameters.some((parameter) => parameter instanceof Identifier)) {
      const own = operationOf(this.#strings);
      if (own !== "select" && own !== "other") return own;
      const pieces = this.#parameters.filter((parameter) => parameter instanceof Statement);
      return pieces.map(({ operation }) => operation).find((one) => /^select ./.test(one)) ?? own;
    }
    const names = this.#parameters.map((parameter) =>
      parameter instanceof Identifier ? parameter.name : " ? ",
    );
    return deriveOperation(String.raw({ raw: this.#strings }, ...names));
  }

  /**
   * For a statement whose text depends on the request. Client and server keep every prepared text of a
   * connection for as long as that lasts, so a new text for each request would fill both. Such a statement is
   * also planned for its own values.
   */
  unprepared(): this {
    this.#prepared = false;
    return this;
  }

  /**
   * Sends it now, before it is awaited: the server runs the statements of a transaction in the order of
   * sending, without a pause between those sent together.
   */
  send(): Promise<Rows> {
    return this.#run(this);
  }

  // biome-ignore lint/suspicious/noThenProperty: a statement is made to be awaited
  then<Fulfilled = Rows, Rejected = never>(
    onFulfilled?: ((rows: Rows) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.#run(this).then(onFulfilled, onRejected);
  }

  catch<Rejected>(
    onRejected: (reason: unknown) => Rejected | PromiseLike<Rejected>,
  ): Promise<Rows | Rejected> {
    return this.then(undefined, onRejected);
  }

  /** A query of that client, which sends it when it is awaited. */
  toQuery(client: postgres.Sql): postgres.PendingQuery<postgres.Row[]> {
    const parameters = this.#parameters.map((parameter) => {
      if (parameter instanceof Statement) return parameter.toQuery(client);
      if (parameter instanceof Identifier) return client(parameter.name);
      return parameter;
    });
    const query = client(this.#strings, ...(parameters as postgres.ParameterOrFragment<never>[]));
    // An option of the library's own `unsafe`, read when the query is sent; the types do not show it here.
    if (!this.#prepared) (query as unknown as { options: { prepare?: boolean } }).options.prepare = false;
    return query;
  }
}

/** A column or table, `schema.table.column`; quoted when sent. */
export class Identifier {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** The tag of all statements. */
export interface Tag {
  <Rows extends readonly object[] = Row[]>(
    strings: TemplateStringsArray,
    ...parameters: Parameter[]
  ): Statement<Rows>;
  (identifier: string): Identifier;
}

export function createTag(run: Run): Tag {
  function tag<Rows extends readonly object[]>(
    strings: TemplateStringsArray,
    ...parameters: Parameter[]
  ): Statement<Rows>;
  function tag(identifier: string): Identifier;
  function tag(first: TemplateStringsArray | string, ...parameters: Parameter[]) {
    return typeof first === "string" ? new Identifier(first) : new Statement(first, parameters, run);
  }
  return tag;
}

/** A piece of a statement. */
export type Fragment = Statement<readonly object[]>;

/**
 * A piece of a statement that the code itself made, such as a list of columns. It must not contain outside
 * data, because it is sent unchanged.
 */
export function constantText(text: string): (sql: Tag) => Fragment {
  const strings: TemplateStringsArray = Object.assign([text], { raw: [text] });
  return (sql) => sql(strings);
}

/** A timestamptz as microseconds since 1970; exact, because `extract` returns a numeric. */
export function microsecondsSince1970(sql: Tag, column: string): Fragment {
  return sql`(extract(epoch from ${sql(column)}) * 1000000)::bigint`;
}

/** A timestamp as text: a JavaScript Date would lose the microseconds of a value that is written back. */
export function utc(sql: Tag, column: string): Fragment {
  return sql`to_char(${sql(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}
