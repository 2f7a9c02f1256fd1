import { setTimeout as delay } from "node:timers/promises";
import { identify, isRunning, type ProcessIdentity } from "#embedded";
import type { PrivateServer } from "#test-support";
import type { PlannedFault } from "./fault-plan.ts";
import type { Installation } from "./installation.ts";
import type { ServiceSlot } from "./service-slot.ts";

/** A fault as it really happened: printed with every mismatch. */
export interface InflictedFault {
  readonly number: number;
  /** Such as `freeze-backend`. */
  readonly kind: string;
  /** Such as `ingest-1` or `stampede-rewards 4711`. */
  readonly target: string;
  readonly from: number;
  /** Undefined while it lasts. */
  until: number | undefined;
}

interface Backend {
  readonly name: string;
  readonly process: ProcessIdentity;
}

const LOOK_MS = 500;
const START_ATTEMPTS = 3;

/** Carries out a plan of faults, several at a time, and keeps record. All times are of `Date.now`. */
export class Injector {
  readonly faults: InflictedFault[] = [];
  /** Planned faults whose target was struck already, or did not exist. */
  skipped = 0;
  readonly #installation: Installation;
  readonly #struck = new Set<string>();
  readonly #frozen = new Set<ProcessIdentity>();
  #backends: readonly Backend[] = [];
  #isLooking = true;

  constructor(installation: Installation) {
    this.#installation = installation;
  }

  /** The number of faults of each kind. */
  get counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { kind } of this.faults) counts[kind] = (counts[kind] ?? 0) + 1;
    return counts;
  }

  /** Faults within this span, or up to `slackMs` before it: effects come later. */
  around(from: number, until: number, slackMs: number): InflictedFault[] {
    return this.faults.filter(
      (fault) => fault.from <= until && (fault.until ?? Date.now()) >= from - slackMs,
    );
  }

  /** Whether a fault of NATS, or of a way to it, happened in this span. */
  touchesNats(from: number, until: number): boolean {
    return this.around(from, until, 5_000).some(({ kind }) => kind.includes("nats"));
  }

  /** Resolves when all planned faults have begun and ended, or at the abort. */
  async carryOut(
    plan: readonly PlannedFault[],
    beganAt: number,
    endsAt: number,
    signal: AbortSignal,
  ): Promise<void> {
    this.#isLooking = true;
    void this.#lookAtBackends();
    const running: Promise<void>[] = [];
    for (const fault of plan) {
      await pause(beganAt + fault.atMs - Date.now(), signal);
      if (signal.aborted) break;
      const forMs = Math.min(fault.forMs, Math.max(0, endsAt - Date.now()));
      running.push(this.#strike(fault, forMs, signal));
    }
    await Promise.all(running);
    this.#isLooking = false;
  }

  /** Runs another fault that concerns all services. */
  async record(kind: string, target: string, work: () => Promise<void>): Promise<void> {
    const fault: InflictedFault = { number: 0, kind, target, from: Date.now(), until: undefined };
    this.faults.push(fault);
    await work();
    fault.until = Date.now();
  }

  async #strike(fault: PlannedFault, forMs: number, signal: AbortSignal): Promise<void> {
    const { nats } = this.#installation;
    const [name, postgres] = this.#serverOf(fault);
    const wait = () => pause(forMs, signal);
    switch (fault.kind) {
      case "kill-service": {
        const slot = this.#slotOf(fault);
        return this.#during(fault, "kill-service", slot.name, wait, () => slot.kill(forMs) && (() => {}));
      }
      case "freeze-service": {
        const slot = this.#slotOf(fault);
        return this.#during(fault, "freeze-service", slot.name, wait, () => this.#freeze(slot.pid));
      }
      case "kill-nats":
        return this.#during(fault, fault.kind, "nats", wait, () => restart(nats));
      case "freeze-nats":
        return this.#during(fault, fault.kind, "nats", wait, () => this.#freeze(nats.pid()));
      case "kill-postgres":
        return this.#during(fault, fault.kind, name, wait, () => restart(postgres));
      case "freeze-postmaster":
        return this.#during(fault, fault.kind, name, wait, () => this.#freeze(postgres.pid()));
      case "kill-backend":
      case "freeze-backend": {
        const backend = this.#backendOf(fault);
        if (backend === undefined) {
          this.skipped++;
          return;
        }
        const { name, process: identity } = backend;
        const target = `${name} ${identity.pid}`;
        const isKill = fault.kind === "kill-backend";
        return this.#during(fault, fault.kind, target, wait, () =>
          isKill ? send(identity, "SIGKILL") && (() => {}) : this.#freeze(identity.pid),
        );
      }
      case "link": {
        const slot = this.#slotOf(fault);
        const { server, fault: what, draw } = fault.link;
        const kind = `${what}-${draw === undefined ? "all" : "one"}-${server}`;
        const proxy = slot.options.proxies[server];
        return this.#during(fault, kind, `${slot.name} to ${server}`, wait, () => proxy.strike(what, draw));
      }
    }
  }

  /**
   * @param begin undefined or false: it found no target; otherwise it returns a function that ends the fault
   */
  async #during(
    { number }: PlannedFault,
    kind: string,
    target: string,
    wait: () => Promise<void>,
    begin: () => (() => void | Promise<void>) | undefined | false,
  ): Promise<void> {
    if (this.#struck.has(target)) {
      this.skipped++;
      return;
    }
    const end = begin();
    if (end === undefined || end === false) {
      this.skipped++;
      return;
    }
    this.#struck.add(target);
    const fault: InflictedFault = { number, kind, target, from: Date.now(), until: undefined };
    this.faults.push(fault);
    await wait();
    await end();
    fault.until = Date.now();
    this.#struck.delete(target);
  }

  /** Which PostgreSQL, if the platform has its own. */
  #serverOf({ draw }: PlannedFault): [name: string, server: PrivateServer] {
    const { publisher, platform } = this.#installation.servers;
    return publisher !== platform && draw < 0.5 ? ["postgres-platform", platform] : ["postgres", publisher];
  }

  #slotOf({ service, draw }: PlannedFault): ServiceSlot {
    const slots = this.#installation.slotsOf(service);
    return slots[Math.floor(draw * slots.length)] as ServiceSlot;
  }

  /** Draws the purpose first, then the backend: a service with many connections is not struck more often. */
  #backendOf({ draw }: PlannedFault): Backend | undefined {
    const alive = this.#backends.filter((backend) => isRunning(backend.process));
    const names = [...new Set(alive.map(({ name }) => name))].sort();
    const scaled = draw * names.length;
    const name = names[Math.floor(scaled)];
    const same = alive.filter((backend) => backend.name === name);
    return same[Math.floor((scaled % 1) * same.length)];
  }

  /** Their pids must be read early: a frozen server does not answer. */
  async #lookAtBackends(): Promise<void> {
    const stores = [...new Set(Object.values(this.#installation.stores))];
    while (this.#isLooking) {
      const looks = stores.map(
        (store) => store<{ name: string; pid: number }[]>`
          select application_name as name, pid from pg_stat_activity
          where datname = current_database() and application_name like 'stampede-%'`,
      );
      const look = Promise.all(looks).catch(() => undefined);
      const found = await Promise.race([look, delay(2_000, undefined)]);
      if (found !== undefined) {
        this.#backends = found.flat().flatMap(({ name, pid }) => {
          const identity = identify(pid);
          return identity === undefined ? [] : [{ name, process: identity }];
        });
      }
      await delay(LOOK_MS);
    }
  }

  #freeze(pid: number | undefined): (() => void) | undefined {
    const identity = pid === undefined ? undefined : identify(pid);
    if (identity === undefined || !send(identity, "SIGSTOP")) return undefined;
    this.#frozen.add(identity);
    return () => {
      send(identity, "SIGCONT");
      this.#frozen.delete(identity);
    };
  }

  /** Leaves no process frozen, if the run ends before the plan. */
  thaw(): void {
    this.#isLooking = false;
    for (const identity of this.#frozen) send(identity, "SIGCONT");
  }
}

/** @returns a function that starts it again */
function restart(server: PrivateServer): () => Promise<void> {
  const killed = server.kill();
  killed.catch(() => {});
  return async () => {
    await killed;
    for (let attempt = 1; ; attempt++) {
      try {
        return await server.start();
      } catch (error) {
        // If much else starts at the same time, it may not be up in time.
        if (attempt === START_ATTEMPTS) throw error;
      }
    }
  };
}

/** Signals only this very process, never another one that got its pid. */
function send(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isRunning(identity)) return false;
  try {
    return process.kill(identity.pid, signal);
  } catch {
    return false;
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await delay(ms, undefined, { signal }).catch(() => {});
}
