import t from "tap";
import { ConnectionError, classifyDatabaseError, explainDatabaseFault } from "./database-errors.ts";

const withCode = (code: unknown) => Object.assign(new Error("a fault"), { code });

t.test("classify - a code is looked up before its class", async (t) => {
  t.equal(classifyDatabaseError(withCode("08006")), "unavailable");
  t.equal(classifyDatabaseError(withCode("08P01")), "bug");
  t.equal(classifyDatabaseError(withCode("23514")), "refused");
  t.equal(classifyDatabaseError(withCode("22P02")), "refused");
  t.equal(classifyDatabaseError(withCode("53100")), "unavailable");
  t.equal(classifyDatabaseError(withCode("57P01")), "unavailable");
  for (const code of ["40001", "40P01", "55P03", "57014", "25P03", "25P04"]) {
    t.equal(classifyDatabaseError(withCode(code)), "retry", code);
  }
});

t.test("classify - an unlisted code is a bug", async (t) => {
  for (const code of ["42601", "EACCES", "08", "toString", "__proto__", "", 8, undefined]) {
    t.equal(classifyDatabaseError(withCode(code)), "bug", String(code));
  }
  for (const thrown of [undefined, null, "08006", 8, new RangeError("int8"), { code: null }]) {
    t.equal(classifyDatabaseError(thrown), "bug", String(thrown));
  }
});

t.test("classify - a PostgreSQL with a full disk is unavailable, with any code", async (t) => {
  const full = Object.assign(new Error("could not write init file"), { code: "XX000" });
  t.equal(classifyDatabaseError(full), "unavailable");
  t.equal(classifyDatabaseError(withCode("XX000")), "bug");
});

t.test("classify - a connection that is not there is unavailable", async (t) => {
  for (const code of ["CONNECT_TIMEOUT", "CONNECTION_CLOSED", "CONNECTION_ENDED", "NO_ANSWER"] as const) {
    t.equal(classifyDatabaseError(new ConnectionError(code, "gone")), "unavailable", code);
  }
  for (const code of ["ECONNREFUSED", "ECONNRESET", "EPIPE"]) {
    t.equal(classifyDatabaseError(withCode(code)), "unavailable", code);
  }
});

t.test(
  "regression - after a lost answer to a commit, the caller read that nothing was accepted",
  async (t) => {
    const said = (code: string, mayHaveChanged = true) =>
      explainDatabaseFault(withCode(code), mayHaveChanged);
    for (const code of ["CONNECTION_CLOSED", "NO_ANSWER", "ECONNRESET", "57P01", "08006"]) {
      t.equal(said(code)?.data.reason, "outcome_unknown", code);
      t.notMatch(said(code)?.message, /nothing/, code);
      t.equal(said(code, false)?.data.reason, "database_unavailable", "a read, or the look-up of a token");
    }
    for (const code of ["ECONNREFUSED", "CONNECT_TIMEOUT", "57P03", "55P03", "40001", "53300"]) {
      t.equal(said(code)?.data.reason, "database_unavailable", code);
      t.match(said(code)?.message, /nothing was accepted/, code);
    }
    t.equal(said("LINE_FULL")?.data.reason, "too_many_waiting");
  },
);
