import { rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { SeededRandom } from "#domain";
import { type BaseBackup, restore, takeBaseBackup, waitFor } from "#test-support";
import type { Gate, Till, WebhookDesk } from "#test-world";
import { type FaultChoice, planFaults } from "./fault-plan.ts";
import type { Injector } from "./injector.ts";
import type { DatabaseName, Installation } from "./installation.ts";

/** One planned restore. */
export interface PlannedRestore {
  readonly which: readonly DatabaseName[];
  /**
   * `archived`: promotes a standby that lacks the last seconds; `backup`: everything since the backup is
   * missing.
   */
  readonly until: "backup" | "archived";
  /** Whether all processes are killed before, or run on and meet another past. */
  readonly isStopped: boolean;
  /** Whether one process is frozen until the restore is over. */
  readonly isFrozen: boolean;
  readonly seed: number;
}

export interface RoundTimes {
  /** Load with an open gate, before each backup: so each round has new cards, clips and configuration. */
  readonly calmSeconds: number;
  /** Load and faults between a backup and its use. */
  readonly roundSeconds: number;
}

export interface RestoreParts {
  readonly installation: Installation;
  readonly injector: Injector;
  readonly gate: Gate;
  readonly till: Till;
  readonly desk: WebhookDesk;
  readonly faults: FaultChoice | undefined;
  readonly times: RoundTimes;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** How much time a promoted standby lacks. */
const LAG_MS = 3_000;
const AWAY_MS = 3_000;
/** Longer than a restore takes: the frozen process still works on messages of the lost time. */
const FROZEN_MS = 10_000;
const REPLAY_MS = 120_000;
const BACKUP_ATTEMPTS = 5;

/** Both databases go back, and in every second round one of them alone. The seed alone decides. */
export function planRestores(seed: number, count: number): PlannedRestore[] {
  const random = new SeededRandom(seed);
  const alone: DatabaseName[] = random.chance(0.5) ? ["publisher", "platform"] : ["platform", "publisher"];
  return Array.from({ length: count }, (_, i) => ({
    which: i % 2 === 0 ? ["publisher", "platform"] : [alone[((i - 1) / 2) % 2] as DatabaseName],
    until: random.chance(0.35) ? "archived" : "backup",
    isStopped: random.chance(0.5),
    isFrozen: random.chance(0.5),
    seed: seed * 100 + i,
  }));
}

/**
 * In each round: base backups, load under faults, and databases that go back to these backups while NATS
 * keeps its state.
 */
export async function carryOutRestores(plan: readonly PlannedRestore[], parts: RestoreParts): Promise<void> {
  for (const one of plan) {
    await pause(parts.times.calmSeconds * 1_000, parts.signal);
    if (parts.signal.aborted) return;
    await round(one, parts);
  }
}

async function round(planned: PlannedRestore, parts: RestoreParts): Promise<void> {
  const { which, until, isStopped, isFrozen, seed } = planned;
  const { installation, injector, gate, till, desk, say, signal } = parts;
  const { roundSeconds } = parts.times;
  await gate.close();
  const backedUpAt = Date.now();
  const backups = new Map<DatabaseName, BaseBackup>();
  for (const name of which) backups.set(name, await backUp(installation, name));
  const beganAt = Date.now();
  const endsAt = beganAt + roundSeconds * 1_000;
  await injector.carryOut(planFaults(seed, roundSeconds * 1_000, parts.faults), beganAt, endsAt, signal);
  await pause(endsAt - Date.now() - LAG_MS, signal);
  if (until === "archived") await Promise.all(which.map((name) => installation.switchWal(name)));
  await pause(LAG_MS, signal);
  if (signal.aborted) return;
  const frozenAt = Date.now();
  const freezes = planFaults(seed, FROZEN_MS, { ...parts.faults, kinds: ["freeze-service"] }).slice(
    0,
    isFrozen ? 1 : 0,
  );
  const frozen = freezes.map((fault) => ({ ...fault, atMs: 0, forMs: FROZEN_MS }));
  const freezing = injector.carryOut(frozen, frozenAt, frozenAt + FROZEN_MS, signal);
  say(`${which.join(" and ")} back to ${until}, processes ${isStopped ? "killed" : "go on"}`);
  await injector.record(
    `restore-${until}`,
    `${which.join(" and ")}, ${isStopped ? "killed" : "alive"}`,
    async () => {
      if (isStopped) for (const slot of installation.slots) slot.kill(AWAY_MS);
      await Promise.all(
        which.map(async (name) => {
          const backup = backups.get(name) as BaseBackup;
          await restore(
            installation.servers[name],
            backup,
            until,
            () => name === "publisher" && desk.restored(),
          );
          rmSync(backup.copy, { recursive: true });
        }),
      );
      await whenReplayed(installation);
    },
  );
  await freezing;
  // Payments since the backup came over HTTP and are in no stream, so the retailers report them again.
  if (which.includes("platform")) await till.tellAgain(backedUpAt);
  gate.open();
}

/** Files come and go under load; a copy that missed one is useless, so this tries again. */
async function backUp(installation: Installation, name: DatabaseName): Promise<BaseBackup> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await takeBaseBackup(installation.servers[name]);
    } catch (error) {
      if (attempt === BACKUP_ATTEMPTS) throw error;
    }
  }
}

/** If a member were deleted before its purchases are applied again, these would have no member. */
async function whenReplayed({ stores }: Installation): Promise<void> {
  const isReplayed = async () => {
    const [{ behind }] = await stores.publisher<[{ behind: number }]>`
      select count(*)::int as behind from ingest_positions
      where server_started is distinct from pg_postmaster_start_time() or applied < replay_through`;
    return behind === 0;
  };
  await waitFor(isReplayed, { deadlineMs: REPLAY_MS, message: "what the streams keep is not applied again" });
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await delay(ms, undefined, { signal }).catch(() => {});
}
