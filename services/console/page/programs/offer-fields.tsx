import { AreaField, CheckField, ChoiceField, LineField, TimeField } from "../parts/fields.tsx";
import { moneyText } from "../parts/money.tsx";
import type { Faults, OfferForm } from "./offer-form.ts";
import type { Deal, OfferKind, Program } from "./program-types.ts";

interface OfferFieldsProps {
  readonly kind: OfferKind;
  readonly form: OfferForm;
  readonly faults: Faults;
  onChange(changes: Partial<OfferForm>): void;
}

/** The fields of a program or deal: reward, rules, display. */
export function OfferFields(props: OfferFieldsProps) {
  return (
    <>
      <fieldset>
        <legend>What it gives</legend>
        <RewardFields {...props} />
      </fieldset>
      <fieldset>
        <legend>Which purchases count</legend>
        <RuleFields {...props} />
      </fieldset>
      <fieldset>
        <legend>How it is shown</legend>
        <DisplayFields {...props} />
      </fieldset>
    </>
  );
}

/** The props of a field of text. */
function text({ form, faults, onChange }: OfferFieldsProps) {
  return <Name extends keyof OfferForm>(name: Name) => ({
    value: form[name] as string,
    fault: faults[name],
    onChange: (value: string) => onChange({ [name]: value }),
  });
}

const PROGRAM_REWARDS: Readonly<Record<Program["reward_config"]["type"], string>> = {
  refund: "the purchase back",
  "fixed-reward": "a fixed amount",
};
const DEAL_REWARDS: Readonly<Record<Deal["reward_config"]["type"], string>> = {
  percent: "a share of the purchase",
  fixed: "a fixed amount",
};

function RewardFields(props: OfferFieldsProps) {
  const { kind, form, onChange } = props;
  const of = text(props);
  return (
    <>
      <LineField label="Name" hint="Not shown to members." {...of("name")} />
      {kind === "program" && (
        <LineField label="Stamps that make a full card" isShort isNumber {...of("threshold")} />
      )}
      <ChoiceField
        label="Reward"
        value={form.reward}
        choices={kind === "program" ? PROGRAM_REWARDS : DEAL_REWARDS}
        onChange={(reward) => onChange({ reward })}
      />
      {form.reward === "percent" && (
        <>
          <LineField label="Per cent of the purchase" isShort isNumber {...of("percent")} />
          <LineField label="At most" {...amount(props, "maxAmount", form.currency)} />
        </>
      )}
      {form.reward === "fixed-reward" && (
        <LineField label="Amount" {...amount(props, "rewardAmount", form.currency)} />
      )}
      {form.reward === "fixed" && (
        <>
          <LineField label="Amount" {...amount(props, "rewardAmount", form.rewardCurrency)} />
          <LineField label="Currency" isShort {...of("rewardCurrency")} />
        </>
      )}
      {kind === "deal" && (
        <div class="pair">
          <TimeField label="Starts" hint="In your time zone; empty: at once." {...of("startsAt")} />
          <TimeField label="Ends" hint="Empty: never." {...of("endsAt")} />
        </div>
      )}
    </>
  );
}

/** Amounts are whole numbers of minor units, as everywhere in the API; the hint shows the amount of money. */
function amount(props: OfferFieldsProps, name: "rewardAmount" | "maxAmount" | "minAmount", currency: string) {
  const code = currency.trim().toUpperCase();
  const given = props.form[name];
  const isAmount = /^\d+$/.test(given.trim());
  const hint =
    isAmount && /^[A-Z]{3}$/.test(code)
      ? `In minor units: this is ${moneyText(Number(given), code)}.`
      : "In minor units: 350 is 3.50 EUR.";
  return { ...text(props)(name), isShort: true, isNumber: true, hint };
}

function RuleFields(props: OfferFieldsProps) {
  const { form, onChange } = props;
  const of = text(props);
  return (
    <>
      <AreaField
        label="Merchant ids"
        hint="One a line; case and outer spaces do not matter."
        {...of("merchantIds")}
      />
      <LineField
        label="Statement descriptor begins with"
        hint="Only looked at where several retailers share the merchant id."
        {...of("descriptor")}
      />
      <ChoiceField
        label="Confirmed by"
        hint="Without a payment of the retailer no amount is known."
        value={form.confirmation}
        choices={{ retailer: "a payment of the retailer", none: "nothing: the card's transaction is enough" }}
        onChange={(confirmation) => onChange({ confirmation })}
      />
      <div class="pair">
        <LineField label="From this amount on" {...amount(props, "minAmount", form.currency)} />
        <LineField label="Currency" isShort hint="Empty: any." {...of("currency")} />
      </div>
      <div class="pair">
        <TimeField label="Paid from" hint="Empty: since ever." {...of("paidAfter")} />
        <TimeField label="Paid before" hint="Empty: for ever." {...of("paidBefore")} />
      </div>
      <CheckField
        label="Purchases from before a member joined count, too"
        value={form.retroactive}
        onChange={(retroactive) => onChange({ retroactive })}
      />
    </>
  );
}

function DisplayFields(props: OfferFieldsProps) {
  const of = text(props);
  return (
    <>
      <LineField label="Headline" {...of("title")} />
      <LineField label="Summary" {...of("summary")} />
      <AreaField label="Description" {...of("description")} />
      <AreaField label="Terms" {...of("terms")} />
      <LineField label="Reward, in words" hint="Such as: 10 % back." {...of("rewardText")} />
      <LineField label="Picture" hint="The address of an image." {...of("image")} />
      <LineField label="Logo" hint="The address of an image." {...of("logo")} />
    </>
  );
}
