import { encodeId } from "#domain";
import { memberbaseIdOf, type World } from "../ingest/world.ts";
import { mix } from "../kit/random.ts";
import { Caller } from "../kit/requests.ts";
import type { MembersOptions } from "./options.ts";

/** Enough that the edge and the database are never idle together. */
const AT_ONCE = 2;
const PREFIX = "/publisher.v1/";
const CITIES = ["Berlin", "Lyon", "Malmö", "Porto", "Cork"] as const;

type Tier = "gold" | "silver";

/** Members of one memberbase, in an integrator's requests. */
export class MemberRequests {
  readonly #options: MembersOptions;
  readonly #caller: Caller;
  readonly #token: string;
  readonly #memberbase: string;

  constructor(url: string, options: MembersOptions, world: World) {
    this.#options = options;
    this.#caller = new Caller(url, AT_ONCE);
    this.#token = world.token;
    this.#memberbase = encodeId("mb", memberbaseIdOf(options.seed));
  }

  /** Members a second, from the first request to the last answer. */
  upsertAll(tier: Tier): Promise<number> {
    return this.#inBatches(async (first, size) => {
      const members = Array.from({ length: size }, (_, i) => this.#member(first + i, tier));
      const ids = (await this.ask("member/bulk-upsert", { members })) as string[];
      if (new Set(ids).size !== size) throw new Error("an upsert gave a wrong number of ids");
    });
  }

  deleteAll(): Promise<number> {
    return this.#inBatches(async (first, size) => {
      const refs = Array.from({ length: size }, (_, i) => refOf(first + i));
      const { deleted } = (await this.ask("member/bulk-delete", { refs })) as { deleted: number };
      if (deleted !== size) throw new Error(`${deleted} of ${size} members were deleted`);
    });
  }

  /** @throws Error unless it is answered 200 */
  ask(route: string, body: object): Promise<unknown> {
    const text = JSON.stringify({ member_base_id: this.#memberbase, ...body });
    return this.#caller.ask(PREFIX + route, this.#token, text);
  }

  close(): Promise<void> {
    return this.#caller.close();
  }

  async #inBatches(send: (first: number, size: number) => Promise<void>): Promise<number> {
    const { members, perRequest } = this.#options;
    const startedAt = performance.now();
    await this.#caller.forEach(Math.ceil(members / perRequest), async (batch) => {
      const first = batch * perRequest;
      await send(first, Math.min(perRequest, members - first));
      return true;
    });
    return members / ((performance.now() - startedAt) / 1000);
  }

  #member(number: number, tier: Tier) {
    const drawn = mix(this.#options.seed, number);
    return { ref: refOf(number), attributes: { tier, age: 18 + (drawn % 60), city: CITIES[drawn % 5] } };
  }
}

function refOf(number: number): string {
  return `bulk-${String(number).padStart(8, "0")}`;
}
