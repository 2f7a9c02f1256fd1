import { LIMITS } from "#contract";
import { microsOf } from "../costs.ts";
import { MESSAGE_TURN_MS } from "../turns.ts";
import type { Clock, Thread } from "./host.ts";
import type { SimulationSetting } from "./setting.ts";

/** A request under way. */
export interface Request {
  readonly size: number;
  /** Events whose outcome is not known yet. */
  open: number;
  readonly answered: () => void;
}

/** Events of one request for one partition. */
interface Slice {
  readonly request: Request;
  readonly events: number;
}

export interface Message {
  readonly slices: readonly Slice[];
  readonly events: number;
}

interface Lane {
  slices: Slice[];
  events: number;
  unanswered: number;
}

/** Hands a message to its stream. */
type Publish = (partition: number, message: Message, stored: () => void) => void;

/** An edge process: takes requests and packs their events by partition, as `Packer` of services/edge does. */
export class Edge {
  readonly #setting: SimulationSetting;
  readonly #clock: Clock;
  readonly #thread: Thread;
  readonly #rest: Thread;
  readonly #lanes: Lane[];
  readonly #publish: Publish;

  /** @param rest the threads beside the one that runs our code, as one */
  constructor(
    setting: SimulationSetting,
    clock: Clock,
    threads: { main: Thread; rest: Thread },
    publish: Publish,
  ) {
    this.#setting = setting;
    this.#clock = clock;
    this.#thread = threads.main;
    this.#rest = threads.rest;
    this.#publish = publish;
    this.#lanes = Array.from({ length: setting.topology.partitions }, () => ({
      slices: [],
      events: 0,
      unanswered: 0,
    }));
  }

  /** @param byPartition how many of its events each partition gets */
  take(request: Request, byPartition: ReadonlyMap<number, number>): void {
    this.#work({ event: request.size, request: 1 }, () => {
      for (const [partition, events] of byPartition) this.#add(partition, { request, events });
    });
  }

  #work(load: Parameters<typeof microsOf>[1], done: () => void): void {
    const cost = this.#setting.costs.parts.edge;
    const workMs = microsOf(cost, load) / 1000;
    this.#rest.do(workMs * (1 - cost.mainShare));
    this.#thread.do(workMs * cost.mainShare, done);
  }

  #add(partition: number, slice: Slice): void {
    const lane = this.#lanes[partition] as Lane;
    if (lane.events > 0 && lane.events + slice.events > LIMITS.eventsPerMessage) this.#send(partition, lane);
    const isFirst = lane.events === 0;
    lane.slices.push(slice);
    lane.events += slice.events;
    if (isFirst && lane.unanswered === 0) this.#clock.after(0, () => this.#sendIfIdle(partition, lane));
  }

  #sendIfIdle(partition: number, lane: Lane): void {
    if (lane.unanswered === 0) this.#send(partition, lane);
  }

  #send(partition: number, lane: Lane): void {
    if (lane.events === 0) return;
    const message = { slices: lane.slices, events: lane.events };
    lane.slices = [];
    lane.events = 0;
    lane.unanswered++;
    const nextMs = this.#clock.nowMs + MESSAGE_TURN_MS;
    this.#work({ message: 1 }, () => {
      this.#publish(partition, message, () => {
        this.#clock.after(Math.max(0, nextMs - this.#clock.nowMs), () => {
          lane.unanswered--;
          this.#sendIfIdle(partition, lane);
        });
      });
    });
  }
}
