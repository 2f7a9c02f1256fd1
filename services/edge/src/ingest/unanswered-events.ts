import { LIMITS } from "#contract";

/** Why an organisation may not have more events unanswered: all the room is taken, or its own share of it is. */
export type NoRoom = "too_many_unanswered" | "organisation_share";

/**
 * An organisation may have so many times as much unanswered as is free. So one alone gets three quarters of
 * `LIMITS.unansweredEvents`, two get three sevenths each, and however many there are, something is free for the next
 * ("dynamic thresholds", as switches share out their buffers). It needs no count of who is active, and no time-out.
 */
const SHARE = 3;

/**
 * The events of one edge process whose requests wait for their answers, by organisation. Beyond the share of an organisation
 * there is room that others cannot take:
 *
 * - for the first request of an organisation that has nothing here. Where many share, the share of each is less than a request
 *   may have, and a large one would never be taken.
 * - for small requests of an organisation that has little here.
 */
export class UnansweredEvents {
  readonly #byOrganisation = new Map<string, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  /** Undefined if this number of further events of this organisation may wait. */
  refuse(organisation: string, events: number): NoRoom | undefined {
    const own = this.#byOrganisation.get(organisation) ?? 0;
    const shared = LIMITS.unansweredEvents;
    if (own + events <= SHARE * (shared - this.#total) && this.#total + events <= shared) return undefined;
    const withFirst = shared + LIMITS.eventsPerRequest;
    if (own === 0 && this.#total + events <= withFirst) return undefined;
    const isSmall = events <= LIMITS.smallRequestEvents && own + events <= LIMITS.smallUnansweredEvents;
    if (isSmall && this.#total + events <= withFirst + LIMITS.unansweredSmallEvents) return undefined;
    return this.#total + events > shared ? "too_many_unanswered" : "organisation_share";
  }

  /** Whether not even a single event of any caller would be taken. */
  get isFull(): boolean {
    const { unansweredEvents, eventsPerRequest, unansweredSmallEvents } = LIMITS;
    return this.#total >= unansweredEvents + eventsPerRequest + unansweredSmallEvents;
  }

  add(organisation: string, events: number): void {
    this.#byOrganisation.set(organisation, (this.#byOrganisation.get(organisation) ?? 0) + events);
    this.#total += events;
  }

  remove(organisation: string, events: number): void {
    const left = (this.#byOrganisation.get(organisation) ?? 0) - events;
    if (left > 0) this.#byOrganisation.set(organisation, left);
    else this.#byOrganisation.delete(organisation);
    this.#total -= events;
  }
}
