import type { History, Sent } from "./history.ts";
import type { RewardModel, Step, View } from "./reward-model.ts";

/**
 * The observations of one stamp collection or clip: its events in order, and its rows each time when all was
 * at rest.
 */
export type Observed =
  | { readonly kind: "event"; readonly line: string }
  | { readonly kind: "rest"; readonly rows: string };

/** A point of the search. Versions are indexes into the history; `versions` is in the order of its purchases. */
interface Node<S> {
  readonly at: number;
  readonly phase: number;
  readonly versions: readonly number[];
  readonly terms: number;
  readonly state: S;
}

/**
 * Looks for an order of arrivals by which the model does exactly what was observed, event by event, and has
 * the same rows whenever everything was at rest. Two processes, resent and reordered messages leave the order
 * open, and nothing else:
 * - a message arrives after it was sent, and finds at least what was stored before that;
 * - stored values become visible in their order, transaction by transaction, and so do a program's terms;
 * - a settlement may arrive again at any time: it says only which row to look at;
 * - a purchase that settled later than the one of the settlement still counts as authorized, but its amount
 *   and currency have no history: they may be those that are stored by then;
 * - at rest everything has arrived, so nothing may be owed.
 *
 * @returns undefined if there is such an order, else how far the best attempt came, and why no further
 */
export function explain<S>(
  model: RewardModel<S>,
  history: History,
  observed: readonly Observed[],
): string | undefined {
  return new Search(model, history, observed).run();
}

class Search<S> {
  readonly #model: RewardModel<S>;
  readonly #history: History;
  readonly #observed: readonly Observed[];
  readonly #refs: readonly string[];
  readonly #failed = new Set<string>();
  #furthest: { at: number; reasons: Set<string> } = { at: -1, reasons: new Set() };

  constructor(model: RewardModel<S>, history: History, observed: readonly Observed[]) {
    this.#model = model;
    this.#history = history;
    this.#observed = observed;
    this.#refs = [...history.purchases.keys()];
  }

  run(): string | undefined {
    const versions = this.#refs.map(() => 0);
    if (this.#search({ at: 0, phase: 0, versions, terms: 0, state: this.#model.start })) return undefined;
    const { at, reasons } = this.#furthest;
    const told = this.#observed.map((one, i) => {
      return `${i === at ? "→ " : "  "}${one.kind === "rest" ? `at rest: ${one.rows}` : one.line}`;
    });
    return [...told, `no further than "→", because ${[...reasons].slice(0, 8).join("\n  or ")}`].join("\n");
  }

  #search(node: Node<S>): boolean {
    const seen = this.#observed[node.at];
    if (seen === undefined) return true;
    const key = JSON.stringify(node);
    if (this.#failed.has(key)) return false;
    const found = seen.kind === "rest" ? this.#rests(node, seen.rows) : this.#moves(node);
    if (!found) this.#failed.add(key);
    return found;
  }

  /** Everything has arrived and become visible. */
  #rests(node: Node<S>, rows: string): boolean {
    const versions = this.#refs.map(
      (ref, i) => this.#lastOf(ref, node.phase) ?? (node.versions[i] as number),
    );
    const terms = this.#history.terms.findLastIndex(({ phase }) => phase <= node.phase);
    const due = this.#history.outcomes.filter(({ phase }) => phase <= node.phase);
    const owed = this.#model.owed(node.state, this.#view(versions, terms), due);
    if (owed !== undefined) return this.#fail(node, `it owes ${owed}`);
    const shown = this.#model.show(node.state);
    if (shown !== rows) return this.#fail(node, `it would be: ${shown}`);
    return this.#search({ at: node.at + 1, phase: node.phase + 1, versions, terms, state: node.state });
  }

  #moves(node: Node<S>): boolean {
    for (const sent of this.#history.outcomes) {
      if (sent.phase <= node.phase && this.#outcomeArrives(node, sent)) return true;
    }
    for (const ref of this.#refs) {
      if (this.#settlementArrives(node, ref)) return true;
    }
    return this.#something(node);
  }

  #outcomeArrives(node: Node<S>, sent: Sent): boolean {
    const versions = this.#atLeast(node.versions, sent.moment);
    const step = this.#model.outcome(node.state, this.#view(versions, node.terms), sent);
    return this.#takes(node, versions, step);
  }

  /**
   * Money that may be known besides that of `versions`: the money that came with the settling, or was filled
   * in after it.
   */
  *#moneys(versions: readonly number[], phase: number): Iterable<readonly number[]> {
    yield versions;
    const settled = this.#refs.map((ref) => {
      return this.#history.purchases.get(ref)?.findIndex(({ value }) => value.state !== "authorized") ?? -1;
    });
    for (const later of [0, 1, 2]) {
      const known = versions.map((version, i) => {
        const at = (settled[i] as number) + later;
        const last = this.#lastOf(this.#refs[i] as string, phase) ?? version;
        return settled[i] === -1 || (settled[i] as number) <= version || at > last ? version : at;
      });
      if (known.some((at, i) => at !== versions[i])) yield known;
    }
  }

  #settlementArrives(node: Node<S>, ref: string): boolean {
    const changed = this.#history.purchases.get(ref)?.[1];
    if (changed === undefined || changed.phase > node.phase) return false;
    const versions = this.#atLeast(node.versions, changed.moment);
    for (const states of [versions, this.#asOfSettling(ref, versions)]) {
      for (const money of this.#moneys(versions, node.phase)) {
        const view = this.#view(states, node.terms, money);
        if (this.#takes(node, versions, this.#model.settlement(node.state, view, ref))) return true;
      }
    }
    return false;
  }

  /**
   * The versions in which purchases that settled later than this one are as before they settled, even if an
   * outcome has seen them settled: at each look at a collection, rewards applies its settlings again in their
   * order.
   */
  #asOfSettling(ref: string, versions: readonly number[]): readonly number[] {
    const settledAt = (one: string) => {
      const versions = this.#history.purchases.get(one) ?? [];
      const index = versions.findIndex(({ value }) => value.state !== "authorized");
      return { index, moment: index < 1 ? Number.NEGATIVE_INFINITY : (versions[index]?.moment as number) };
    };
    const { moment } = settledAt(ref);
    return versions.map((version, i) => {
      const other = settledAt(this.#refs[i] as string);
      return other.index > 0 && other.moment > moment && version >= other.index ? other.index - 1 : version;
    });
  }

  /** Goes on if the step makes the events observed next. A step without events changes nothing that matters. */
  #takes(node: Node<S>, versions: readonly number[], step: Step<S> | undefined): boolean {
    if (step === undefined || step.lines.length === 0) return false;
    for (const [i, line] of step.lines.entries()) {
      const seen = this.#observed[node.at + i];
      if (seen?.kind !== "event" || seen.line !== line) {
        return this.#fail({ ...node, at: node.at + i }, `it would be: ${step.lines.join(", ")}`);
      }
    }
    return this.#search({ ...node, at: node.at + step.lines.length, versions, state: step.after });
  }

  /** A stored value becomes visible before any message shows it. */
  #something(node: Node<S>): boolean {
    for (const [i, ref] of this.#refs.entries()) {
      const version = node.versions[i] as number;
      if (version >= (this.#lastOf(ref, node.phase) ?? 0)) continue;
      if (this.#search({ ...node, versions: node.versions.with(i, version + 1) })) return true;
    }
    const next = this.#history.terms[node.terms + 1];
    if (next !== undefined && next.phase <= node.phase) {
      return this.#search({ ...node, terms: node.terms + 1 });
    }
    return false;
  }

  #lastOf(ref: string, phase: number): number | undefined {
    const at = this.#history.purchases.get(ref)?.findLastIndex((version) => version.phase <= phase) ?? -1;
    return at < 0 ? undefined : at;
  }

  #atLeast(versions: readonly number[], moment: number): number[] {
    return this.#refs.map((ref, i) => {
      const stored = this.#history.purchases.get(ref)?.findLastIndex((one) => one.moment <= moment) ?? 0;
      return Math.max(versions[i] as number, stored);
    });
  }

  #view(versions: readonly number[], terms: number, money: readonly number[] = versions): View {
    return {
      known: (ref) => {
        const place = this.#refs.indexOf(ref);
        const purchase = this.#history.purchases.get(ref);
        const found = purchase?.[versions[place] as number];
        const told = purchase?.[money[place] as number];
        if (found === undefined || told === undefined) throw new Error(`no purchase ${ref}`);
        return { ...told.value, state: found.value.state };
      },
      termsAt: (index) => this.#history.terms[index]?.value,
      termsIndex: terms,
    };
  }

  #fail({ at }: Node<S>, reason: string): false {
    if (at > this.#furthest.at) this.#furthest = { at, reasons: new Set() };
    if (at === this.#furthest.at) this.#furthest.reasons.add(reason);
    return false;
  }
}
