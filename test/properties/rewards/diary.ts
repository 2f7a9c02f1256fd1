import {
  type History,
  type Known,
  type Money,
  type Sent,
  store,
  type Terms,
  type Version,
} from "./history.ts";

/** Records the messages of one run as they are sent, and the results of the lifecycle. */
export class Diary {
  /** Increases by one each time everything has come to rest. */
  phase = 0;
  #moment = 0;
  readonly #purchases = new Map<string, Version<Known>[]>();
  readonly #terms = new Map<string, Version<Terms | null>[]>();
  readonly #outcomes = new Map<string, Sent[]>();

  has(ref: string): boolean {
    return this.#purchases.has(ref);
  }

  /** Whether it has a settlement: every change of a stored transaction has one. */
  hasSettlement(ref: string): boolean {
    return (this.#purchases.get(ref)?.length ?? 0) > 1;
  }

  /** Predicts, before an event is sent, whether it will be rejected. */
  rejects(ref: string, event: Known): boolean {
    return store(this.#purchases.get(ref)?.at(-1)?.value, event) === undefined;
  }

  /** An event was answered. */
  entered(ref: string, event: Known): void {
    const versions = this.#purchases.get(ref) ?? [];
    const before = versions.at(-1)?.value;
    const after = store(before, event);
    if (after === undefined || after === before) return;
    this.#moment += 1;
    versions.push({ value: after, moment: this.#moment, phase: this.phase });
    this.#purchases.set(ref, versions);
  }

  /** @param about the stamp collection or clip */
  configured(about: string, terms: Terms | null): void {
    const versions = this.#terms.get(about) ?? [];
    versions.push({ value: terms, moment: this.#moment, phase: this.phase });
    this.#terms.set(about, versions);
  }

  /** Its first configuration. */
  firstTerms(about: string): Terms | null | undefined {
    return this.#terms.get(about)?.[0]?.value;
  }

  isRemoved(about: string): boolean {
    return this.#terms.get(about)?.at(-1)?.value === null;
  }

  /** An outcome is about to be sent. However often it is sent, its content is that of the first time. */
  sends(about: string, ref: string, money: Money, carried?: Terms): Money {
    const sent = this.#outcomes.get(about) ?? [];
    const before = sent.find((one) => one.ref === ref);
    if (before !== undefined) return before.money;
    sent.push({ ref, money, carried, moment: this.#moment, phase: this.phase });
    this.#outcomes.set(about, sent);
    return money;
  }

  /** The outcomes of a purchase, with their targets. */
  sentFor(ref: string): { about: string; money: Money }[] {
    return [...this.#outcomes].flatMap(([about, sent]) => {
      return sent.filter((one) => one.ref === ref).map(({ money }) => ({ about, money }));
    });
  }

  historyOf(about: string): History {
    const outcomes = this.#outcomes.get(about) ?? [];
    const purchases = new Map(outcomes.map(({ ref }) => [ref, this.#purchases.get(ref) ?? []]));
    return { purchases, terms: this.#terms.get(about) ?? [], outcomes };
  }
}
