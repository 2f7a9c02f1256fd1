/** The answer of postgres.js to a statement. */
interface Answer extends ReadonlyArray<object | undefined> {
  /**
   * From the command's tag: rows returned, or rows changed if none are returned; null if it has no number.
   */
  readonly count: number | null;
  readonly columns: readonly unknown[] | null;
}

/**
 * The rows that belong to this answer, in a plain array.
 *
 * postgres.js 3.4.9 counts the rows that it receives for each connection, and starts again only when a
 * command completes (its issues 1119 and 1181). A statement that fails after it sent k rows leaves k empty
 * places before the rows of the next answer on that connection, for any caller. Each answer has an array of
 * its own, so these places hold nothing of another answer, and its rows are the last ones, as many as the
 * server says. So no connection has to be repaired or closed after a failure, and statements that were sent
 * before the failure was known are answered correctly, too.
 *
 * @throws Error if the number of rows differs from the server's count: `const [row] = …` must never read such
 * an answer as "there is none". The session is then closed.
 */
export function ownRows(answer: Answer): object[] {
  const { length, count, columns } = answer;
  // `show`, `explain` and `call` return rows and have no count.
  const start = count === null ? answer.findIndex((row) => row !== undefined) : length - count;
  const rows = answer.slice(Math.max(0, start));
  // `insert` without `returning` has a count, no columns and no rows.
  const isComplete = count === null || columns?.length === 0 || rows.length === count;
  if (!isComplete || rows.includes(undefined) || start - 1 in answer) {
    throw new Error(
      `the answer of the database has ${length} rows, and not the ${count} that it should have`,
    );
  }
  return rows as object[];
}
