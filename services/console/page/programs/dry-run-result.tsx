import { Moment } from "../parts/moment.tsx";
import { Money } from "../parts/money.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { count, inGroups } from "../purchase/words.ts";
import { dryRunSentence, reasonWords } from "./dry-run-words.ts";
import type { DryRun, OfferKind } from "./program-types.ts";

/** The result of a dry run: one sentence, then the numbers, then some of the purchases. */
export function DryRunResult({ run, kind }: { readonly run: DryRun; readonly kind: OfferKind }) {
  const { rewards, reasons, examples, unrouted_merchant_ids: unrouted } = run;
  return (
    <div class="dry-run" role="status">
      <p class="headline">{dryRunSentence(run, kind)}</p>
      {unrouted.length > 0 && (
        <p class="fault">
          No retailer has {unrouted.length === 1 ? "the merchant id" : "the merchant ids"}{" "}
          <code>{unrouted.slice(0, 10).join(", ")}</code>: purchases there cannot count.
        </p>
      )}
      {rewards.map(({ amount, currency, purchases }) => (
        <p key={currency}>
          It would have given <Money amount={amount} currency={currency} /> for {count(purchases, "purchase")}
          .
        </p>
      ))}
      {reasons.length > 0 && (
        <Table
          caption="Why the others would not have counted"
          columns={REASONS}
          rows={reasons}
          keyOf={({ reason }) => reason}
        />
      )}
      {examples.length > 0 && (
        <Table
          caption="Some of the purchases"
          columns={EXAMPLES}
          rows={examples}
          keyOf={({ transaction_id: id }) => id}
        />
      )}
    </div>
  );
}

const REASONS: Column<DryRun["reasons"][number]>[] = [
  { title: "A purchase that", cell: ({ reason }) => reasonWords(reason) },
  { title: "Purchases", isNumber: true, cell: ({ purchases }) => inGroups(purchases) },
];

const EXAMPLES: Column<DryRun["examples"][number]>[] = [
  { title: "Authorized", cell: ({ authed_at: at }) => <Moment at={at} /> },
  {
    title: "Where",
    cell: ({ merchant_id: merchant, statement_descriptor: descriptor }) => (
      <>
        <code>{merchant}</code> {descriptor !== undefined && <span class="quiet">{descriptor}</span>}
      </>
    ),
  },
  {
    title: "Paid",
    isNumber: true,
    cell: ({ paid }) => <Money amount={paid?.amount} currency={paid?.currency} />,
  },
  {
    title: "Counts",
    cell: ({ result }) => (result === "earned" ? "yes" : <span class="quiet">it {reasonWords(result)}</span>),
  },
  {
    title: "Gives",
    isNumber: true,
    isExtra: true,
    cell: ({ reward }) => <Money amount={reward?.amount} currency={reward?.currency} />,
  },
];
