import t from "tap";
import { reasonIn } from "./postgres-cluster.ts";

t.test(
  "postgres cluster - regression: a full disk was reported as a child process that exited with 1",
  async (t) => {
    const output = `running bootstrap script ... ok
performing post-bootstrap initialization ... 2026-11-23 16:43:27.340 UTC [10495] FATAL:  could not write to file "base/4/1249": No space left on device
2026-11-23 16:43:27.340 UTC [10495] STATEMENT:  CREATE DATABASE template0;

child process exited with exit code 1
initdb: removing contents of data directory "/data/postgres/cluster.new/data"
`;
    t.equal(
      reasonIn(output),
      'FATAL:  could not write to file "base/4/1249": No space left on device: ' +
        "free disk space, or set STAMPEDE_DATA_DIR to a directory of another disk",
    );
  },
);

t.test("postgres cluster - a program's error message is the reason, otherwise its last lines", async (t) => {
  t.equal(
    reasonIn('a\ninitdb: error: could not open file "x": Permission denied\nb\n'),
    'error: could not open file "x": Permission denied',
  );
  t.equal(reasonIn("one\ntwo\nthree\nfour\n"), "two | three | four");
});
