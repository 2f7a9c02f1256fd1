import { PlatformClient } from "#client";
import type { Payment } from "#contract";
import type { ConfiguredRetailer } from "./configure-retailers.ts";

const PAYMENTS_PER_REQUEST = 200;

/**
 * Submits payments as the retailer does, with its own token. That of a retailer that was found is not told again; then
 * the platform's token says whose payments they are.
 * @returns how many were accepted
 */
export async function sendPayments(
  platform: { readonly url: string; readonly token: string },
  { retailerId, token }: ConfiguredRetailer,
  payments: readonly Payment[],
): Promise<number> {
  const client = new PlatformClient({ baseUrl: platform.url, token: token ?? platform.token });
  const retailer = token === undefined ? { retailer_id: retailerId } : {};
  try {
    let accepted = 0;
    for (let start = 0; start < payments.length; start += PAYMENTS_PER_REQUEST) {
      const part = payments.slice(start, start + PAYMENTS_PER_REQUEST);
      const answer = await client.call("payment/ingest", { ...retailer, payments: part });
      accepted += answer.accepted;
    }
    return accepted;
  } finally {
    await client.close();
  }
}
