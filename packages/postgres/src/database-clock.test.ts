import t from "tap";
import { clockFault, DatabaseClock } from "./database-clock.ts";

const NOON = Date.parse("2026-05-01T12:00:00Z");
const DAY_MS = 24 * 60 * 60 * 1000;

/** A machine whose clocks a test moves, with a database whose clock is right. */
class Machine {
  /** Milliseconds that have passed. */
  passed = 0;
  /** How far this machine's clock is ahead, in milliseconds. */
  ahead = 0;
  readonly clock = new DatabaseClock({
    steady: () => 5000 + this.passed,
    wall: () => NOON + this.passed + this.ahead,
  });

  /** @param away how long the answer takes; the database reads its clock after `asked` of that time */
  look(away = 2, asked = away / 2, wrongMs = 0): void {
    const answered = this.clock.look();
    this.passed += away;
    answered(NOON + this.passed - away + asked + wrongMs);
  }

  /** The error of this machine's estimate of the database's time. */
  get errorMs(): number {
    return this.clock.now().getTime() - (NOON + this.passed);
  }
}

t.test(
  "database clock - it is the machine's own time before the first look, the database's after",
  async (t) => {
    const machine = new Machine();
    machine.ahead = DAY_MS;
    t.equal(machine.errorMs, DAY_MS);
    machine.look();
    t.equal(machine.errorMs, 0);
    t.equal(machine.clock.offsetMs, DAY_MS);
  },
);

t.test(
  "database clock - after a jump of the machine's clock, time goes on by the database's, without a look",
  async (t) => {
    for (const jump of [60 * 60 * 1000, -60 * 60 * 1000, 31 * DAY_MS, -31 * DAY_MS]) {
      const machine = new Machine();
      machine.look();
      machine.passed += 1500;
      machine.ahead += jump;
      t.equal(machine.errorMs, 0);
      machine.passed += 500;
      machine.look();
      t.equal(machine.errorMs, 0);
      t.equal(machine.clock.offsetMs, jump);
    }
  },
);

t.test("database clock - a slow answer does not replace a better reading", async (t) => {
  const machine = new Machine();
  machine.look(2);
  machine.passed += 2000;
  machine.look(8000, 8000);
  t.equal(machine.errorMs, 0, "half of the round trip would be 4 s");
  const fresh = new Machine();
  fresh.look(8000, 8000);
  t.equal(fresh.errorMs, 4000, "the first one is better than none");
  fresh.look(2);
  t.equal(fresh.errorMs, 0);
});

t.test(
  "database clock - it follows a database with a changed clock, or another one behind its name",
  async (t) => {
    const machine = new Machine();
    machine.look(2);
    machine.passed += 2000;
    machine.look(50, 25, 3 * DAY_MS);
    t.equal(machine.errorMs, 3 * DAY_MS);
    t.equal(machine.clock.offsetMs, -3 * DAY_MS);
  },
);

t.test("clock fault - more than 2 s off, either way", async (t) => {
  for (const offset of [0, 1999, 2000, -2000]) t.equal(clockFault(offset), undefined, String(offset));
  t.equal(clockFault(2100), "this machine's clock is 2.1 s ahead of the database's");
  t.equal(clockFault(-3_600_000), "this machine's clock is 3600.0 s behind the database's");
});
