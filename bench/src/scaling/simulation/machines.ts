import type { PartName } from "../cost-model.ts";
import type { Clock } from "./clock.ts";
import { Host, type Thread } from "./host.ts";
import type { SimulationSetting } from "./setting.ts";

/** Too little for what runs there with nothing to do: nothing would ever end. */
const CORES_MIN = 0.05;

/** Places the threads of all parts on machines, and adds up what they did. */
export class Machines {
  readonly #setting: SimulationSetting;
  readonly #clock: Clock;
  readonly #hosts = new Map<string, Host>();
  readonly #threads = new Map<PartName | "generator", Thread[]>();

  constructor(setting: SimulationSetting, clock: Clock) {
    this.#setting = setting;
    this.#clock = clock;
  }

  /**
   * @param machine which of the machines of this kind; on a shared one it says nothing
   * @param cores what such a machine has
   */
  thread(part: PartName | "generator", machine: string, cores: number): Thread {
    const { machines } = this.#setting.topology;
    const host =
      machines.kind === "shared"
        ? this.#host("all", machines.cores - this.#idleCores())
        : this.#host(machine, cores);
    const thread = host.thread();
    const threads = this.#threads.get(part);
    if (threads === undefined) this.#threads.set(part, [thread]);
    else threads.push(thread);
    return thread;
  }

  /** Milliseconds of CPU time that each part was given so far. */
  worked(): Map<string, number> {
    return new Map(
      [...this.#threads].map(([part, threads]) => [
        part,
        threads.reduce((sum, one) => sum + one.workedMs, 0),
      ]),
    );
  }

  /** The longest queue of each part's threads, in pieces of work. */
  waiting(): Map<string, number> {
    return new Map(
      [...this.#threads].map(([part, threads]) => [part, Math.max(...threads.map((one) => one.waiting))]),
    );
  }

  #host(name: string, cores: number): Host {
    const known = this.#hosts.get(name);
    if (known !== undefined) return known;
    const host = new Host(this.#clock, Math.max(CORES_MIN, cores));
    this.#hosts.set(name, host);
    return host;
  }

  /** What all processes take with nothing to do is taken from the cores once. */
  #idleCores(): number {
    return Object.values(this.#setting.costs.parts).reduce((sum, { idleCores }) => sum + idleCores, 0);
  }
}
