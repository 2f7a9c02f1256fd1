import type { Session } from "./session.ts";
import { createTag } from "./statement.ts";
import type { Sql } from "./store.ts";

/**
 * Runs `work` between begin and commit. If it throws, or a statement in it failed (even if `work` caught
 * that: the server would silently roll back at commit), everything is rolled back and the error thrown.
 * @param mode what follows `begin`, such as "isolation level repeatable read"
 */
export async function runTransaction<T>(
  session: Session,
  mode: string,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const scope = openScope(session);
  await session.script(`begin ${mode}`);
  try {
    const result = await work(scope.sql);
    scope.close();
    scope.throwIfFailed();
    // A statement that nobody waited for may fail only now, and the server then answers the commit with a
    // rollback.
    const answer = await session.script("commit");
    scope.throwIfFailed();
    if (answer !== "COMMIT") throw new Error(`the transaction was not committed: ${answer}`);
    return result;
  } catch (error) {
    scope.close();
    // A lost session has been rolled back by the server; if the rollback fails the session is lost by that.
    if (!session.lost) await session.script("rollback").catch(() => {});
    throw error;
  }
}

function openScope(session: Session) {
  let open = true;
  let failed = false;
  let failure: unknown;
  /**
   * Statements go to the session only while the transaction is under way: later ones would be in none, or
   * another.
   */
  const guard = async <R>(send: () => Promise<R>): Promise<R> => {
    if (!open) throw new Error("the transaction of this statement is over");
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
    close: () => {
      open = false;
    },
    throwIfFailed: () => {
      if (failed) throw failure;
    },
  };
}
