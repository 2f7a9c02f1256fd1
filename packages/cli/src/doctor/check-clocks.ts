import { type Finding, fail, ok, warn } from "./finding.ts";

/** The time of a server, and when this machine asked and had the answer; milliseconds since 1970. */
export interface ClockReading {
  readonly of: string;
  readonly server: number;
  readonly asked: number;
  readonly answered: number;
}

/** Log lines, ids and the ages of messages use each machine's clock; NTP keeps clocks far closer together than this. */
const WARN_MS = 1_000;
/**
 * A clock that is wrong by this much is not being set. If it is the database's, tokens and secrets end at the wrong time, and
 * receivers refuse signatures.
 */
const FAIL_MS = 60_000;

/**
 * The largest difference between two clocks, of this machine and the servers. A server reads its clock between question and
 * answer, so a smaller difference than that time cannot be seen.
 */
export function checkClocks(readings: readonly ClockReading[]): Finding {
  const check = "clocks";
  if (readings.length === 0) return warn(check, "unknown: no server has told its time");
  const offsets = [
    { of: "this machine", offset: 0, slack: 0 },
    ...readings.map(({ of, server, asked, answered }) => {
      return { of, offset: server - (asked + answered) / 2, slack: (answered - asked) / 2 };
    }),
  ];
  let worst = { between: "", ms: 0 };
  for (const [i, one] of offsets.entries()) {
    for (const other of offsets.slice(i + 1)) {
      const ms = Math.max(0, Math.abs(one.offset - other.offset) - one.slack - other.slack);
      if (ms > worst.ms) worst = { between: `${one.of} and ${other.of}`, ms };
    }
  }
  const names = offsets.map(({ of }) => of).join(", ");
  const compared = `${names} agree within ${WARN_MS / 1000} s`;
  if (worst.ms < WARN_MS)
    return ok(check, readings.length < 2 ? `${compared}; no other server told its time` : compared);
  const apart = `${worst.between} are ${(worst.ms / 1000).toFixed(1)} s apart: have NTP set them`;
  return worst.ms < FAIL_MS ? warn(check, apart) : fail(check, apart);
}
