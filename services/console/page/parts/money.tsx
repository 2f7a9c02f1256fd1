import type { Column } from "./table.tsx";

interface MoneyProps {
  /** In minor units of the currency. */
  readonly amount: number | undefined | null;
  /** ISO 4217. */
  readonly currency: string | undefined | null;
}

/** A column of amounts. */
export const AMOUNT: Column<{ readonly amount?: number; readonly currency?: string }> = {
  title: "Amount",
  isNumber: true,
  cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
};

/** An amount: `12.50 EUR`. */
export function Money({ amount, currency }: MoneyProps) {
  if (amount === undefined || amount === null) return <span class="quiet">–</span>;
  return <span class="money">{moneyText(amount, currency ?? undefined)}</span>;
}

/** `moneyText(1250, "EUR")` → `12.50 EUR`. Without a currency: `1250 minor units`. */
export function moneyText(amount: number, currency: string | undefined): string {
  if (currency === undefined) return `${amount} minor units`;
  const places = digitsOf(currency);
  return `${(amount / 10 ** places).toFixed(places)} ${currency}`;
}

/** Kept for each currency: making a formatter takes as long as rendering a row of a table. */
const digits = new Map<string, number>();

function digitsOf(currency: string): number {
  const known = digits.get(currency);
  if (known !== undefined) return known;
  const asked = askDigits(currency);
  digits.set(currency, asked);
  return asked;
}

function askDigits(currency: string): number {
  try {
    const format = new Intl.NumberFormat("en", { style: "currency", currency });
    return format.resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
}
