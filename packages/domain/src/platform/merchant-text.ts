/**
 * A merchant id or statement descriptor as it is compared: trimmed and upper-cased, like the merchant id in a
 * transaction identifier (contract, section 7). Two spellings that make the same identifier must not take
 * different routes, else a payment and a record with equal identifiers would never meet.
 */
export function normaliseMerchantText(text: string): string {
  return text.trim().toUpperCase();
}
