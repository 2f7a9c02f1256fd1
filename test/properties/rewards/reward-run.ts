import type { TransactionEvent } from "#contract";
import type { Outcome } from "#contract/platform";
import { decodeId } from "#domain";
import { CLEARED_AT, makeEvent, REVERTED_AT } from "#test-support";
import { Diary } from "./diary.ts";
import type { Known, Money, Terms } from "./history.ts";
import type { RewardRound } from "./reward-round.ts";
import { CLIPS, type Command, type Script } from "./script.ts";

/** A stamp card or clip of a run: its program or deal, and the record itself once the member has it. */
export interface Slot {
  configId: string;
  /** Its id in the API; undefined: not made yet; null: refused, because the program was removed before. */
  id: string | null | undefined;
}

const DATES: Record<Known["state"], Partial<TransactionEvent>> = {
  authorized: {},
  cleared: { cleared_at: CLEARED_AT },
  reverted: { reverted_at: REVERTED_AT },
};

/**
 * One member with its own programs and deals, and its script. Keeps the diary. The subclass decides how
 * programs are made, and how the platform finds that purchases count.
 */
export abstract class RewardRun {
  readonly number: number;
  readonly script: Script;
  readonly diary = new Diary();
  protected readonly round: RewardRound;
  protected readonly member: string;
  protected readonly cards: Slot[];
  protected readonly clips: Slot[];
  readonly #transactions = new Map<string, string>();

  constructor(round: RewardRound, number: number, member: string, script: Script) {
    this.round = round;
    this.member = member;
    this.number = number;
    this.script = script;
    this.cards = script.terms.map(() => ({ configId: "", id: undefined }));
    this.clips = Array.from({ length: CLIPS }, () => ({ configId: "", id: undefined }));
  }

  /** Makes its programs and deals, with their first terms. */
  async configure(): Promise<void> {
    const cards = this.cards.map(async (card, i) => {
      const terms = this.script.terms[i] as Terms;
      card.configId = await this.program(terms);
      this.diary.configured(card.configId, terms);
    });
    const clips = this.clips.map(async (clip) => {
      clip.configId = await this.deal();
    });
    await Promise.all([...cards, ...clips]);
  }

  /** Runs before the first command, once the publisher knows the programs. */
  async begin(): Promise<void> {}

  /** The commands of one phase, one after the other. */
  async perform(phase: number): Promise<void> {
    for (const command of this.script.phases[phase] ?? []) {
      await this.#perform(command);
      this.round.performed();
    }
  }

  /** Its records, by UUID, with the names that the diary uses. */
  get records(): { uuid: string; kind: "card" | "clip"; about: string }[] {
    const has = (slots: readonly Slot[], kind: "card" | "clip", prefix: "sc" | "clip") =>
      slots.flatMap(({ id, configId }) =>
        typeof id === "string" ? [{ uuid: decodeId(prefix, id) as string, kind, about: configId }] : [],
      );
    return [...has(this.cards, "card", "sc"), ...has(this.clips, "clip", "clip")];
  }

  /** Makes a program, or changes the one with this id; null removes it. Resolves to its id. */
  protected abstract program(terms: Terms | null, id?: string): Promise<string>;
  protected abstract deal(): Promise<string>;
  /** Whether this kind of run makes such a change of a program. */
  protected keeps(_terms: Terms | null): boolean {
    return true;
  }
  /** Makes the purchase count for a stamp card or a clip. */
  protected abstract count(ref: string, slot: Slot, money: Money): Promise<void>;

  async #perform(command: Command): Promise<void> {
    if (command.do === "configure") {
      return this.#reconfigure(this.cards[command.card] as Slot, command.terms);
    }
    const ref = `${this.number}-${String.fromCharCode(65 + command.purchase)}`;
    if (command.do === "enter") return this.enter(ref, command.event);
    if (command.do === "resend") return this.resend(ref);
    if (command.do === "stray") return this.#stray(ref, command.victim);
    if (command.do === "stamp") return this.count(ref, this.cards[command.card] as Slot, command.money);
    return this.count(ref, this.clips[command.clip] as Slot, { amount: command.amount, currency: "EUR" });
  }

  /** Sends a transaction event. */
  protected async enter(ref: string, event: Known): Promise<void> {
    const { amount, currency, state } = event;
    const { rejected, transactionId } = await this.round.till.enter(
      makeEvent(this.member, {
        ...this.card(ref),
        external_id: ref,
        ...(amount !== null && { amount }),
        ...(currency !== null && { currency }),
        ...DATES[state],
      }),
    );
    if (rejected !== this.diary.rejects(ref, event)) {
      throw new Error(`run ${this.number}: ${ref} ${JSON.stringify(event)}, rejected: ${rejected}`);
    }
    this.diary.entered(ref, event);
    this.#transactions.set(ref, transactionId);
  }

  /** The card and the shop of a purchase, which no other purchase has, so that no other has its identifiers. */
  protected card(ref: string): Pick<TransactionEvent, "auth_code" | "merchant_id"> {
    return { auth_code: ref, merchant_id: merchantOf(this.round.organisationId, this.number) };
  }

  /** Enrols the member, or saves the deal. False: its program is gone. */
  protected async obtain(slot: Slot): Promise<boolean> {
    if (slot.id !== undefined) return slot.id !== null;
    const { configId } = slot;
    const [route, named] = this.cards.includes(slot)
      ? ["wallet.stamp-collection/create", { loyalty_program_id: configId }]
      : ["wallet.clip/save", { deal_id: configId }];
    const { status, body } = await this.round.client.post(route, { member_id: this.member, ...named });
    slot.id = status === 404 && this.diary.isRemoved(configId) ? null : body.id;
    if (slot.id === undefined) throw new Error(`${route}: ${status} ${JSON.stringify(body)}`);
    if (slot.id !== null) this.round.owned.push({ id: slot.id, run: this.number });
    return slot.id !== null;
  }

  /** Puts an outcome into the post in the platform's form. */
  protected tell(ref: string, about: string, money: Money): void {
    const target = [...this.cards, ...this.clips].find(({ configId }) => configId === about);
    this.round.post.outcome(this.#outcome(ref, target?.id as string, money, this.rules(about)));
  }

  /** The rules by which an outcome for a card says that it was judged. */
  protected rules(_about: string): object {
    return {};
  }

  /** Sends all messages about a purchase again. */
  protected async resend(ref: string): Promise<void> {
    for (const { about, money } of this.diary.sentFor(ref)) this.tell(ref, about, money);
    if (!this.diary.hasSettlement(ref)) return;
    this.round.post.settlement({
      transaction: decodeId("tx", this.#transactions.get(ref) as string) as string,
      organisation: this.round.organisationId,
      // Rewards does not read the state: the row has it.
      state: "authorized",
    });
  }

  #outcome(ref: string, target: string, { amount, currency }: Money, rules: object = {}): Outcome {
    const transaction = this.#transactions.get(ref) as string;
    const named = { outcome_id: `${transaction} ${target}`, transaction_id: transaction };
    if (target.startsWith("clip_")) {
      return { ...named, type: "deal", clip_id: target, amount: amount ?? 0, currency: currency ?? "EUR" };
    }
    return {
      ...named,
      type: "qualifying_purchase",
      stamp_collection_id: target,
      ...rules,
      ...(amount !== null && { purchase_amount: amount }),
      ...(currency !== null && { currency }),
    };
  }

  /** Another member's stamp card or clip must not change with this member's purchase. */
  #stray(ref: string, victim: number): void {
    if (!this.diary.has(ref)) return;
    const others = this.round.owned.filter(({ run }) => run !== this.number);
    const target = others[victim % others.length];
    if (target === undefined) return;
    this.round.post.outcome(this.#outcome(ref, target.id, { amount: 1, currency: "EUR" }));
  }

  async #reconfigure(card: Slot, terms: Terms | null): Promise<void> {
    if (this.diary.isRemoved(card.configId) || !this.keeps(terms)) return;
    this.diary.configured(card.configId, terms);
    await this.program(terms, card.configId);
  }
}

/** The shop of a run's member. */
export function merchantOf(organisationId: string, run: number): string {
  return `SHOP-${organisationId}-${run}`;
}
