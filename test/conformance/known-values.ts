import type { SeededRandom } from "#domain";

const KEPT_PER_KIND = 300;
const FOREIGN_SHARE = 0.08;
const UNKNOWN_SHARE = 0.08;

/** The kind of record that a route is about: `wallet.stamp-collection/get` → `stamp_collection`. */
export function kindOfRoute(route: string): string {
  const resource = route.split("/")[0] as string;
  return (resource.split(".").at(-1) as string).replaceAll("-", "_");
}

/** The kind of value that a field holds, by its name alone; undefined for one that refers to nothing. */
export function kindOfField(name: string, route: string): string | undefined {
  if (name === "id" || name === "ids") return kindOfRoute(route);
  if (name === "external_id" || name === "ref" || name === "transaction_ref") return name;
  if (name === "refs") return "ref";
  if (name === "cursor" || name === "after") return `cursor of ${route}`;
  return /^(.+)_ids?$/.exec(name)?.[1];
}

/**
 * Ids, refs and cursors that were seen in answers, so that generated requests meet records that exist. Each look-up
 * takes the same amount of randomness with any known values, so that a case keeps its shape when it is run alone.
 */
export class KnownValues {
  readonly #byKind = new Map<string, string[]>();
  readonly #foreign: Readonly<Record<string, string>>;
  readonly #secret: ReadonlySet<string>;

  /**
   * @param foreign one value of each kind that belongs to another organisation
   * @param untouchable values that no request may name: the caller's own token, which it would revoke
   */
  constructor(foreign: Readonly<Record<string, string>>, untouchable: readonly string[]) {
    this.#foreign = foreign;
    this.#secret = new Set(untouchable);
  }

  add(kind: string, value: string): void {
    if (this.#secret.has(value)) return;
    const known = this.#byKind.get(kind) ?? [];
    this.#byKind.set(kind, known);
    if (known.length < KEPT_PER_KIND) known.push(value);
    // The place depends on the value alone: new values displace old ones evenly.
    else known[hash(value) % KEPT_PER_KIND] = value;
  }

  /** A value of that kind: most often one that exists, now and then another organisation's; undefined: make one up. */
  pick(kind: string, random: SeededRandom): string | undefined {
    const [whose, which] = [random.next(), random.next()];
    if (whose < UNKNOWN_SHARE) return undefined;
    if (whose < UNKNOWN_SHARE + FOREIGN_SHARE && this.#foreign[kind] !== undefined)
      return this.#foreign[kind];
    const known = this.#byKind.get(kind) ?? [];
    return known[Math.floor(which * known.length)];
  }

  /** Takes the values that an answer names. */
  learn(route: string, body: unknown): void {
    if (Array.isArray(body)) {
      for (const entry of body) if (typeof entry === "string") this.add(kindOfRoute(route), entry);
    } else {
      this.#learnFrom(route, body);
    }
  }

  #learnFrom(route: string, value: unknown): void {
    if (Array.isArray(value)) {
      for (const entry of value) this.#learnFrom(route, entry);
      return;
    }
    if (typeof value !== "object" || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      const kind = kindOfField(name, route);
      if (typeof inner === "string" && kind !== undefined) this.add(kind, inner);
      else if (name !== "attributes") this.#learnFrom(route, inner);
    }
  }
}

function hash(text: string): number {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum = (Math.imul(sum, 31) + text.charCodeAt(i)) >>> 0;
  return sum;
}
