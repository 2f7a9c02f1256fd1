interface MoneyProps {
  /** In minor units of the currency. */
  readonly amount: number | undefined | null;
  /** ISO 4217. */
  readonly currency: string | undefined | null;
}

/** An amount: `12.50 EUR`. */
export function Money({ amount, currency }: MoneyProps) {
  if (amount === undefined || amount === null) return <span class="quiet">–</span>;
  return <span class="money">{moneyText(amount, currency ?? undefined)}</span>;
}

/** `moneyText(1250, "EUR")` → `12.50 EUR`. Without a currency nobody knows where the point stands: `1250 minor units`. */
export function moneyText(amount: number, currency: string | undefined): string {
  if (currency === undefined) return `${amount} minor units`;
  const digits = digitsOf(currency);
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`;
}

function digitsOf(currency: string): number {
  try {
    const format = new Intl.NumberFormat("en", { style: "currency", currency });
    return format.resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
}
