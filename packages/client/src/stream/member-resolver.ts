import { findIssues, VALIDATORS } from "#contract/validation";
import type { RequestOf } from "../api-types.ts";
import { LIMITS } from "../generated/publisher-api.ts";
import type { Retry } from "../retry.ts";
import { StampedeError } from "../stampede-error.ts";
import { Fifo } from "./fifo.ts";

/** How members are looked up by ref. */
export interface MemberOptions {
  /** The memberbase of the refs. */
  readonly memberBaseId: string;
  /** How many ids are remembered at most; the one that was asked for longest ago leaves. Default 100,000. */
  readonly maxCached?: number;
  /** How long a look-up waits for others to share a request with, in milliseconds. Default 5. */
  readonly maxWaitMs?: number;
  /** How many refs one request has at most, 1 to 5000, or 1000 if members are looked for. Default 1000. */
  readonly maxRefs?: number;
  /**
   * For a ref that no member has: `make` (default) makes the member, also for a typing error; `refuse` fails
   * the look-up with `not_found`, and makes none.
   */
  readonly missing?: "make" | "refuse";
  /**
   * Called with the number of members made. With it every look-up first looks for members: one request more.
   */
  readonly onMade?: (members: number) => void;
  /** Called after every attempt at a request that failed and is followed by another. */
  readonly onRetry?: (retry: Retry) => void;
}

/** Finds the member ids that events carry by the refs that a bank knows. Made by `client.members()`. */
export interface MemberResolver {
  /**
   * The id of the member with this ref. A member that does not exist is made, unless `missing` is `refuse`.
   * @throws StampedeError if the ref is malformed, no member has it (`not_found`), or the request failed; that is not remembered
   */
  resolve(ref: string): Promise<string>;
  /** The ids of many, in the order of the refs. Fails as a whole. */
  resolveAll(refs: readonly string[]): Promise<string[]>;
  /** Forgets what is remembered of a ref: its member was deleted. */
  forget(ref: string): void;
}

/** The part of the API that the resolver needs. */
export interface MemberRequests {
  upsert(request: RequestOf<"member/bulk-upsert">): Promise<readonly string[]>;
  list(request: RequestOf<"member/list">): AsyncIterable<{ readonly id: string; readonly ref: string }>;
}

/** A look-up that has not been answered. */
interface LookUp {
  readonly ref: string;
  readonly id: Promise<string>;
  readonly resolve: (id: string) => void;
  readonly reject: (error: unknown) => void;
}

const DEFAULT_CACHED = 100_000;
const DEFAULT_WAIT_MS = 5;
const DEFAULT_REFS = 1000;
/** How many requests are open at the same time; look-ups that come meanwhile are gathered for the next. */
const OPEN_REQUESTS = 2;

const validate = VALIDATORS["member/bulk-upsert"];

/**
 * Looks members up in bulk, and remembers them. A ref is in one place at a time: remembered, or being looked
 * up; a call in the meantime shares that look-up. `member/bulk-upsert` is repeatable, so a crash leaves
 * nothing behind but a member, which the next look-up finds.
 */
export class MemberLookUps implements MemberResolver {
  readonly #requests: MemberRequests;
  readonly #missing: "make" | "refuse";
  readonly #onMade: ((members: number) => void) | undefined;
  readonly #memberBaseId: string;
  readonly #maxCached: number;
  readonly #maxWaitMs: number;
  readonly #maxRefs: number;
  /** By ref, the one that was asked for longest ago first. */
  readonly #ids = new Map<string, string>();
  readonly #lookUps = new Map<string, LookUp>();
  readonly #gathered = new Fifo<LookUp>();
  #open = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(requests: MemberRequests, options: MemberOptions) {
    this.#requests = requests;
    this.#missing = options.missing ?? "make";
    this.#onMade = options.onMade;
    this.#memberBaseId = options.memberBaseId;
    this.#maxCached = options.maxCached ?? DEFAULT_CACHED;
    this.#maxWaitMs = options.maxWaitMs ?? DEFAULT_WAIT_MS;
    const most = this.#looksFirst ? LIMITS.pageLimitMax : LIMITS.membersPerRequest;
    this.#maxRefs = Math.min(options.maxRefs ?? DEFAULT_REFS, most);
  }

  resolve(ref: string): Promise<string> {
    const known = this.#recall(ref);
    if (known !== undefined) return Promise.resolve(known);
    const shared = this.#lookUps.get(ref);
    if (shared !== undefined) return shared.id;
    const fault = this.#findFault(ref);
    // Alone, because the service would refuse the whole request.
    if (fault !== undefined) return Promise.reject(fault);
    const lookUp = begin(ref);
    this.#lookUps.set(ref, lookUp);
    this.#gathered.push(lookUp);
    if (this.#gathered.size >= this.#maxRefs) this.#send();
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#send();
    }, this.#maxWaitMs);
    return lookUp.id;
  }

  resolveAll(refs: readonly string[]): Promise<string[]> {
    return Promise.all(refs.map((ref) => this.resolve(ref)));
  }

  forget(ref: string): void {
    this.#ids.delete(ref);
    // A look-up under way may find the deleted member: later callers look it up again.
    this.#lookUps.delete(ref);
  }

  #recall(ref: string): string | undefined {
    const id = this.#ids.get(ref);
    if (id === undefined) return undefined;
    this.#ids.delete(ref);
    this.#ids.set(ref, id);
    return id;
  }

  #remember(ref: string, id: string): void {
    this.#ids.set(ref, id);
    if (this.#ids.size <= this.#maxCached) return;
    const [oldest] = this.#ids.keys();
    if (oldest !== undefined) this.#ids.delete(oldest);
  }

  #findFault(ref: string): StampedeError | undefined {
    const body = { member_base_id: this.#memberBaseId, members: [{ ref }] };
    if (validate(body)) return undefined;
    const { issues } = findIssues(validate, body, 0);
    const [{ path, message }] = issues;
    return new StampedeError({
      code: "bad_request",
      status: 400,
      message: `${path} ${message}`,
      data: { issues },
    });
  }

  #send(): void {
    while (this.#gathered.size > 0 && this.#open < OPEN_REQUESTS) {
      const lookUps: LookUp[] = [];
      while (this.#gathered.size > 0 && lookUps.length < this.#maxRefs) {
        lookUps.push(this.#gathered.shift() as LookUp);
      }
      void this.#lookUp(lookUps);
    }
  }

  get #looksFirst(): boolean {
    return this.#missing === "refuse" || this.#onMade !== undefined;
  }

  async #lookUp(lookUps: readonly LookUp[]): Promise<void> {
    this.#open += 1;
    // Members that were found count, even if the request for the others fails.
    let left = lookUps;
    try {
      if (this.#looksFirst) left = await this.#findExisting(lookUps);
      if (this.#missing === "refuse") for (const lookUp of left) this.#fail(lookUp, unknownRef());
      else if (left.length > 0) await this.#make(left);
    } catch (error) {
      for (const lookUp of left) this.#fail(lookUp, error);
    }
    this.#open -= 1;
    this.#send();
  }

  /** @returns those that no member has */
  async #findExisting(lookUps: readonly LookUp[]): Promise<readonly LookUp[]> {
    const ids = new Map<string, string>();
    const request = {
      member_base_id: this.#memberBaseId,
      filters: [{ key: "ref" as const, in: lookUps.map(({ ref }) => ref) }],
    };
    for await (const { id, ref } of this.#requests.list(request)) ids.set(ref, id);
    for (const lookUp of lookUps) {
      const id = ids.get(lookUp.ref);
      if (id !== undefined) this.#found(lookUp, id);
    }
    return lookUps.filter(({ ref }) => !ids.has(ref));
  }

  async #make(lookUps: readonly LookUp[]): Promise<void> {
    const members = lookUps.map(({ ref }) => ({ ref }));
    const ids = await this.#requests.upsert({ member_base_id: this.#memberBaseId, members });
    this.#onMade?.(lookUps.length);
    for (const [index, lookUp] of lookUps.entries()) this.#found(lookUp, ids[index]);
  }

  #fail(lookUp: LookUp, error: unknown): void {
    this.#end(lookUp);
    lookUp.reject(error);
  }

  #found(lookUp: LookUp, id: string | undefined): void {
    if (id === undefined) throw new Error("member/bulk-upsert answered fewer ids than it was given refs");
    if (this.#end(lookUp)) this.#remember(lookUp.ref, id);
    lookUp.resolve(id);
  }

  /**
   * @returns whether the look-up still stands for its ref: the caller has not told the resolver to forget it
   *   meanwhile
   */
  #end(lookUp: LookUp): boolean {
    return this.#lookUps.get(lookUp.ref) === lookUp && this.#lookUps.delete(lookUp.ref);
  }
}

function unknownRef(): StampedeError {
  return new StampedeError({
    code: "not_found",
    status: 404,
    message: "no member has this ref",
    data: { resource: "member" },
  });
}

function begin(ref: string): LookUp {
  let resolve!: (id: string) => void;
  let reject!: (error: unknown) => void;
  const id = new Promise<string>((onFound, onFailed) => {
    resolve = onFound;
    reject = onFailed;
  });
  return { ref, id, resolve, reject };
}
