import t from "tap";
import { explainRefusal } from "./explain-refusal.ts";
import { Progress } from "./progress.ts";

function movable() {
  const clock = { ms: 1000 };
  return { clock, progress: new Progress(() => clock.ms) };
}
const fault = (code: string, message: string) => Object.assign(new Error(message), { code });

t.test("progress - work that is done, and no work, is no standing", async (t) => {
  const { clock, progress } = movable();
  t.strictSame(progress.check(), { ok: true, detail: "every hop with work moves" });
  const work = progress.begin("INGEST");
  clock.ms += 4_900;
  t.strictSame(progress.standing(), []);
  t.ok(progress.isSlow);
  work.done();
  clock.ms += 60_000;
  t.strictSame(progress.standing(), []);
  t.notOk(progress.isSlow);
});

t.test(
  "progress - a batch that is refused again and again stands after five seconds, with the cause",
  async (t) => {
    const { clock, progress } = movable();
    const work = progress.begin("INGEST");
    work.refused(fault("53100", 'could not extend file "base/1/2": No space left on device'));
    clock.ms += 5_000;
    t.match(progress.standing(), [{ hop: "INGEST", seconds: 5, cause: "disk", said: /No space left/ }]);
    t.match(progress.check(), {
      ok: false,
      detail: /^INGEST has work and has not moved for 5 s \(disk: .*\): free space/,
    });
    work.done();
    t.strictSame(progress.standing(), []);
  },
);

t.test("progress - the oldest work counts, even if other work of the hop moves", async (t) => {
  const { clock, progress } = movable();
  const stuck = progress.begin("INGEST");
  clock.ms += 3_000;
  progress.begin("INGEST").done();
  clock.ms += 3_000;
  t.match(progress.standing(), [{ hop: "INGEST", seconds: 6, cause: "none_told" }]);
  stuck.left();
  t.strictSame(progress.standing(), []);
});

t.test(
  "progress - work that is given back each time stands, until some is done or none is tried",
  async (t) => {
    const { clock, progress } = movable();
    const tryInVain = () =>
      progress.begin("OUTCOMES").failed(fault("42501", "permission denied for table stamps"));
    for (let i = 0; i < 6; i++) {
      tryInVain();
      clock.ms += 1_000;
    }
    t.match(progress.standing(), [
      { seconds: 6, cause: "right", said: "permission denied for table stamps" },
    ]);
    clock.ms += 31_000;
    t.strictSame(progress.standing(), [], "none was tried for half a minute");
    tryInVain();
    t.strictSame(progress.standing(), [], "and a new failure starts over");
    clock.ms += 5_000;
    tryInVain();
    t.equal(progress.standing().length, 1);
    progress.begin("OUTCOMES").done();
    t.strictSame(progress.standing(), []);
  },
);

t.test("progress - the holder of the lock is reported with the command that ends it", async (t) => {
  const { clock, progress } = movable();
  progress.begin("INGEST");
  progress.lockHolder = {
    pid: 4711,
    application: "psql",
    role: "alice",
    since: "2026-11-26T10:00:00Z",
    statement: "lock table transactions",
  };
  clock.ms += 5_000;
  t.match(progress.standing(), [
    {
      cause: "lock",
      said: 'session 4711 (psql, role alice, since 2026-11-26T10:00:00Z, "lock table transactions") holds what it needs',
      mend: /select pg_terminate_backend\(4711\)/,
    },
  ]);
});

t.test("refusal - each has its class, and says nothing of a row", async (t) => {
  const named = (name: string, message = "") => Object.assign(new Error(message), { name });
  for (const [error, cause] of [
    [fault("53100", "x"), "disk"],
    [fault("58030", "x"), "disk"],
    [named("JetStreamApiError", "insufficient resources"), "disk"],
    [fault("42501", "x"), "right"],
    [fault("28P01", "x"), "right"],
    [named("PermissionViolationError"), "right"],
    [fault("55P03", "x"), "lock"],
    [fault("57014", "x"), "timeout"],
    [fault("ECONNREFUSED", "x"), "connection"],
    [fault("EAI_AGAIN", "x"), "connection"],
    // Errors of Node's own functions quote their arguments.
    [fault("ERR_INVALID_ARG_TYPE", "x"), "fault"],
    [fault("UNABLE_TO_VERIFY_LEAF_SIGNATURE", "x"), "connection"],
    [fault("NO_ANSWER", "x"), "connection"],
    [fault("57P03", "x"), "connection"],
    [fault("53300", "x"), "quota"],
    [fault("publish_failed", "the stream did not store a message: stream_full"), "stream_full"],
    [fault("publish_failed", "the stream did not store a message: TimeoutError"), "stream"],
    [named("LostPartitions"), "fence"],
    [fault("22P02", "invalid input: 4571736012345678"), "data"],
    [fault("42P01", "x"), "schema"],
    [new TypeError("cannot read 4571736012345678"), "fault"],
  ] as const) {
    const refusal = explainRefusal(error, undefined);
    t.equal(refusal.cause, cause, String(error));
    t.notMatch(JSON.stringify(refusal), "4571736012345678");
    t.ok(refusal.mend.length > 0);
  }
});

t.test("progress - a hop says why it stands now: a disk that was full before is not its cause", async (t) => {
  const { clock, progress } = movable();
  const work = progress.begin("INGEST");
  work.refused(fault("53100", "could not write to file: No space left on device"));
  clock.ms += 6_000;
  t.match(progress.standing(), [{ hop: "INGEST", cause: "disk" }]);
  work.refused(fault("57014", "canceling statement due to statement timeout"));
  t.match(progress.standing(), [{ hop: "INGEST", cause: "timeout" }], "the disk has room again");
  const gone = fault("ECONNREFUSED", "connect ECONNREFUSED");
  work.refused(gone);
  progress.databaseFailed(gone);
  clock.ms += 6_000;
  t.match(progress.standing(), [
    { hop: "PostgreSQL", cause: "disk" },
    { hop: "INGEST", cause: "connection" },
  ]);
  t.match(progress.check(), { detail: /^PostgreSQL has been away for 6 s \(disk: / });
});

t.test("progress - NATS stores nothing, and its own words say that its disk is full", async (t) => {
  const { clock, progress } = movable();
  const unanswered = fault("publish_failed", "the stream did not store a message: TimeoutError");
  progress.begin("publish to ingest.0").refused(unanswered);
  clock.ms += 6_000;
  t.match(progress.standing(), [{ cause: "stream", mend: /healthz/ }]);
  progress.natsComplaint =
    "JetStream stream 'STAMPEDE > INGEST_0' write error: write /var/lib/nats/1.blk: no space left on device";
  t.match(progress.standing(), [
    {
      cause: "disk",
      said: "NATS: JetStream stream 'STAMPEDE > INGEST_0' write error: write … no space left on device",
      mend: /then restart it/,
    },
  ]);
  progress.natsComplaint = "JetStream has not established contact with a meta leader";
  t.match(progress.standing(), [{ cause: "stream", said: /^NATS: JetStream has not established/ }]);
});

t.test(
  "progress - the last message of a PostgreSQL that ended because of a full disk is reported while it is away",
  async (t) => {
    const { clock, progress } = movable();
    const work = progress.begin("INGEST");
    work.refused(fault("53100", 'could not extend file "base/1/2": No space left on device'));
    clock.ms += 1_000;
    // Its session is gone, and the partition with it.
    work.left();
    const gone = fault("ECONNREFUSED", "connect ECONNREFUSED");
    progress.databaseFailed(gone);
    clock.ms += 70_000;
    progress.databaseFailed(gone);
    t.match(progress.standing(), [{ hop: "PostgreSQL", seconds: 70, cause: "disk", said: /No space left/ }]);
    progress.databaseAnswered();
    t.strictSame(progress.standing(), []);
    clock.ms += 60_000;
    progress.databaseFailed(gone);
    clock.ms += 10_000;
    t.strictSame(progress.standing(), [], "it went away for another reason, long after");
    progress.databaseFailed(fault("XX000", "could not write init file"));
    t.match(
      progress.standing(),
      [{ hop: "PostgreSQL", cause: "disk" }],
      "it was started, and has no room yet",
    );
  },
);
