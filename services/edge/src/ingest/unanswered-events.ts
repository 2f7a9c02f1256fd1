import { LIMITS } from "#contract";

/** Why an organisation may not have more unanswered events: all room is taken, or its share is. */
export type NoRoom = "too_many_unanswered" | "organisation_share";

/**
 * An organisation may have this many times as many unanswered events as there is free room. So a single one
 * gets three quarters of `LIMITS.unansweredEvents`, two get three sevenths each, and however many there are,
 * some room is free for the next ("dynamic thresholds", as network switches share their buffers). It needs
 * neither a count of active organisations nor a time-out.
 */
const SHARE = 3;

/**
 * The events of one edge process whose requests wait for their answers, by organisation. Beyond the shares
 * there is room reserved for two kinds of requests:
 *
 * - for the first request of an organisation that has no events here. If many organisations share, each share
 *   is smaller than
 *   a large request, which would otherwise never be accepted.
 * - for small requests of an organisation that has few events here.
 */
export class UnansweredEvents {
  readonly #byOrganisation = new Map<string, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  /** Undefined: this number of further events of this organisation may wait. */
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

  /** Whether not a single event of any caller would be accepted. */
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
