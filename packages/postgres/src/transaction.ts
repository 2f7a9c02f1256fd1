import type { Session } from "./session.ts";
import { createTag } from "./statement.ts";
import type { Sql, Transaction } from "./store.ts";

/**
 * Runs `work` between begin and commit. If it throws, or if one of its statements failed (even if `work`
 * caught that error, because the server would silently roll back at commit), everything is rolled back and
 * the error is thrown.
 * @param mode what follows `begin`, such as "isolation level repeatable read"
 */
export async function runTransaction<T>(
  session: Session,
  mode: string,
  work: (sql: Transaction) => Promise<T>,
): Promise<T> {
  const scope = openScope(session);
  await session.script(`begin ${mode}`);
  try {
    const savepoint = <N>(nested: (sql: Sql) => Promise<N>) => runSavepoint(session, scope, nested);
    const result = await work(Object.assign(scope.sql, { savepoint }));
    scope.close();
    scope.throwIfFailed();
    // A statement that was not awaited may fail only now: then the server answers the commit with a rollback.
    const answer = await session.script("commit");
    scope.throwIfFailed();
    if (answer !== "COMMIT") throw new Error(`the transaction was not committed: ${answer}`);
    return result;
  } catch (error) {
    scope.close();
    // The server has rolled back a lost session; a session whose rollback fails is lost too.
    if (!session.lost) await session.script("rollback").catch(() => {});
    throw error;
  }
}

/** Runs `work` between a savepoint and its release. A failure undoes only the work since. */
async function runSavepoint<T>(session: Session, outer: Scope, work: (sql: Sql) => Promise<T>): Promise<T> {
  await outer.guard(() => session.script("savepoint nested"));
  const scope = openScope(session, outer);
  try {
    const result = await work(scope.sql);
    scope.close();
    scope.throwIfFailed();
    await session.script("release savepoint nested");
    return result;
  } catch (error) {
    scope.close();
    const undo = "rollback to savepoint nested; release savepoint nested";
    if (!session.lost) await outer.guard(() => session.script(undo));
    throw error;
  }
}

interface Scope {
  readonly sql: Sql;
  /** Sends if the scope is open, and remembers a failure. */
  guard<R>(send: () => Promise<R>): Promise<R>;
  isOpen(): boolean;
  close(): void;
  throwIfFailed(): void;
}

function openScope(session: Session, outer?: Scope): Scope {
  let open = true;
  let failed = false;
  let failure: unknown;
  const isOpen = () => open && outer?.isOpen() !== false;
  /**
   * Statements go to the session only while their transaction is under way: later they would run in no
   * transaction, or in another one.
   */
  const guard = async <R>(send: () => Promise<R>): Promise<R> => {
    if (!isOpen()) throw new Error("the transaction of this statement is over");
    try {
      return await send();
    } catch (error) {
      if (!failed) failure = error;
      failed = true;
      throw error;
    }
  };
  const sql: Sql = Object.assign(
    createTag((statement) => guard(() => session.run(statement))),
    {
      script: (text: string) => guard(() => session.script(text)).then(() => {}),
      copyIn: (text: string, bytes: Uint8Array) => guard(() => session.copyIn(text, bytes)),
    },
  );
  return {
    sql,
    guard,
    isOpen,
    close: () => {
      open = false;
    },
    throwIfFailed: () => {
      if (failed) throw failure;
    },
  };
}
