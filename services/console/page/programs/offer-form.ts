import type { Deal, DealFields, Program, ProgramFields } from "./program-types.ts";

/** The texts in the fields of a new program or deal. Times are RFC 3339, or empty; amounts are minor units. */
const EMPTY = {
  name: "",
  threshold: "10",
  reward: "refund" as (Program | Deal)["reward_config"]["type"],
  rewardAmount: "",
  rewardCurrency: "",
  percent: "",
  maxAmount: "",
  title: "",
  image: "",
  logo: "",
  summary: "",
  description: "",
  terms: "",
  rewardText: "",
  /** One a line. */
  merchantIds: "",
  descriptor: "",
  minAmount: "",
  currency: "",
  paidAfter: "",
  paidBefore: "",
  retroactive: false,
  confirmation: "retailer" as "retailer" | "none",
  startsAt: "",
  endsAt: "",
};
export type OfferForm = Readonly<typeof EMPTY>;

export const EMPTY_PROGRAM: OfferForm = EMPTY;
export const EMPTY_DEAL: OfferForm = { ...EMPTY, reward: "percent", percent: "10" };

export function programForm({ qualifying_threshold, reward_config: reward, ...program }: Program): OfferForm {
  return {
    ...sharedForm(program),
    threshold: String(qualifying_threshold),
    reward: reward.type,
    rewardAmount: reward.type === "fixed-reward" ? String(reward.amount) : "",
  };
}

export function dealForm({ reward_config: reward, starts_at, ends_at, ...deal }: Deal): OfferForm {
  const form = {
    ...sharedForm(deal),
    reward: reward.type,
    startsAt: starts_at ?? "",
    endsAt: ends_at ?? "",
  };
  return reward.type === "fixed"
    ? { ...form, rewardAmount: String(reward.amount), rewardCurrency: reward.currency }
    : { ...form, percent: String(reward.percent), maxAmount: textOf(reward.max_amount) };
}

function sharedForm({
  name,
  display_content: display,
  rules,
}: Pick<Program, "name" | "display_content" | "rules">): OfferForm {
  return {
    ...EMPTY,
    name,
    title: display.title,
    image: display.image,
    logo: display.logo ?? "",
    summary: display.summary,
    description: display.description,
    terms: display.terms,
    rewardText: display.reward?.formatted ?? "",
    merchantIds: rules.merchant_ids.join("\n"),
    descriptor: rules.statement_descriptor ?? "",
    minAmount: textOf(rules.min_amount),
    currency: rules.currency ?? "",
    paidAfter: rules.paid_after ?? "",
    paidBefore: rules.paid_before ?? "",
    retroactive: rules.retroactive ?? false,
    confirmation: rules.confirmation,
  };
}

const textOf = (number: number | undefined): string => (number === undefined ? "" : String(number));

/** The faults of fields, in words that stand beside them. */
export type Faults = Readonly<Partial<Record<keyof OfferForm, string>>>;

/** The request of a form, or the faults of its fields. The platform validates the request again. */
export type Read<Fields> =
  | { readonly fields: Fields; readonly faults?: undefined }
  | { readonly faults: Faults; readonly fields?: undefined };

export function readProgram(form: OfferForm): Read<ProgramFields> {
  const reader = new FormReader(form);
  const reward: ProgramFields["reward_config"] =
    form.reward === "refund"
      ? { type: "refund" }
      : { type: "fixed-reward", amount: reader.amount("rewardAmount") };
  return reader.read({
    ...readShared(reader),
    qualifying_threshold: reader.whole("threshold", 1, 1_000_000),
    reward_config: reward,
  });
}

export function readDeal(form: OfferForm): Read<DealFields> {
  const reader = new FormReader(form);
  const reward: DealFields["reward_config"] =
    form.reward === "fixed"
      ? { type: "fixed", amount: reader.amount("rewardAmount"), currency: reader.currency("rewardCurrency") }
      : {
          type: "percent",
          percent: reader.percent("percent"),
          ...reader.given("maxAmount", () => ({ max_amount: reader.amount("maxAmount") })),
        };
  return reader.read({
    ...readShared(reader),
    reward_config: reward,
    ...reader.given("startsAt", () => ({ starts_at: form.startsAt })),
    ...reader.given("endsAt", () => ({ ends_at: form.endsAt })),
  });
}

function readShared(reader: FormReader) {
  return { name: reader.text("name"), display_content: readDisplay(reader), rules: readRules(reader) };
}

function readDisplay(reader: FormReader): ProgramFields["display_content"] {
  const { form } = reader;
  return {
    title: reader.text("title"),
    image: reader.text("image"),
    ...reader.given("logo", () => ({ logo: form.logo.trim() })),
    summary: form.summary,
    description: form.description,
    terms: form.terms,
    ...reader.given("rewardText", () => ({ reward: { formatted: form.rewardText } })),
  };
}

function readRules(reader: FormReader): ProgramFields["rules"] {
  const { form } = reader;
  return {
    merchant_ids: reader.lines("merchantIds"),
    ...reader.given("descriptor", () => ({ statement_descriptor: form.descriptor })),
    ...reader.given("minAmount", () => ({ min_amount: reader.amount("minAmount") })),
    ...reader.given("currency", () => ({ currency: reader.currency("currency") })),
    ...reader.given("paidAfter", () => ({ paid_after: form.paidAfter })),
    ...reader.given("paidBefore", () => ({ paid_before: form.paidBefore })),
    ...(form.retroactive && { retroactive: true }),
    confirmation: form.confirmation,
  };
}

type TextField = {
  [Name in keyof OfferForm]: OfferForm[Name] extends string ? Name : never;
}[keyof OfferForm];

/** The lines of a field that are not blank. */
export function readLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** Reads fields, and collects their faults; the value of a field with a fault must not be used. */
class FormReader {
  readonly form: OfferForm;
  readonly #faults: Partial<Record<keyof OfferForm, string>> = {};

  constructor(form: OfferForm) {
    this.form = form;
  }

  read<Fields>(fields: Fields): Read<Fields> {
    return Object.keys(this.#faults).length === 0 ? { fields } : { faults: this.#faults };
  }

  /** @returns nothing where the field is blank */
  given<Part>(name: TextField, part: () => Part): Part | undefined {
    return this.form[name].trim() === "" ? undefined : part();
  }

  text(name: TextField): string {
    const text = this.form[name].trim();
    if (text === "") this.#faults[name] = "is needed";
    return text;
  }

  lines(name: TextField): string[] {
    const lines = readLines(this.form[name]);
    if (lines.length === 0) this.#faults[name] = "at least one is needed";
    return lines;
  }

  amount(name: TextField): number {
    return this.whole(name, 0, Number.MAX_SAFE_INTEGER);
  }

  whole(name: TextField, least: number, most: number): number {
    const text = this.form[name].trim();
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < least || number > most) {
      this.#faults[name] =
        least === 0 ? "must be a whole number of minor units" : `must be a whole number from ${least} on`;
    }
    return number;
  }

  percent(name: TextField): number {
    const text = this.form[name].trim().replace(",", ".");
    const number = Number(text);
    if (!/^\d+(\.\d+)?$/.test(text) || number <= 0 || number > 100) {
      this.#faults[name] = "must be above 0 and at most 100";
    }
    return number;
  }

  currency(name: TextField): string {
    const text = this.form[name].trim().toUpperCase();
    if (!/^[A-Z]{3}$/.test(text)) this.#faults[name] = "must be a code such as EUR";
    return text;
  }
}
