import { randomUUID } from "node:crypto";
import { transactionIdentifiers } from "#domain";
import { type Attack, HOSTILE_MERCHANT, type Hostile } from "./attack.ts";
import { BATCH, makeBatch, makeEvent } from "./hostile-events.ts";
import { ask, forever, headText, holding, mustAsk, write } from "./hostile-requests.ts";

const later = { headers: { prefer: "respond-async" } };

const INGESTION: readonly Attack[] = [
  {
    name: "six callers of 5,000 events",
    start: (hostile) => forever(6, () => ask(hostile, "transaction/ingest", makeBatch(hostile.member))),
  },
  {
    name: "ten callers of 5,000 events, respond-async",
    start: (hostile) =>
      forever(10, () => ask(hostile, "transaction/ingest", makeBatch(hostile.member), later)),
  },
  {
    name: "ten callers of 1,000 events that are all rejected",
    start: (hostile) =>
      forever(10, () => ask(hostile, "transaction/ingest", makeBatch("m_unknown", 1000), later)),
  },
  {
    name: "40 callers of one external_id",
    start: (hostile) => {
      const event = makeEvent(hostile.member);
      return forever(40, () => ask(hostile, "transaction/ingest", { events: [event] }));
    },
  },
  {
    name: "100 requests in a pipeline on one connection",
    start: (hostile) =>
      holding(hostile.edge, 2, async (socket) => {
        const body = JSON.stringify(makeBatch(hostile.member, 1));
        const fields = [`content-length: ${body.length}`];
        const more = async () => {
          while (!socket.destroyed) await write(socket, (headText(hostile, { fields }) + body).repeat(100));
        };
        void more();
      }),
  },
];

const IDENTIFIER = randomUUID().replaceAll("-", "").repeat(2);

function makePayments(count: number, identifier?: string): object {
  const payments = Array.from({ length: count }, () => ({
    payment_id: randomUUID(),
    identifiers: [identifier ?? randomUUID().replaceAll("-", "").repeat(2)],
    amount: 100,
    currency: "EUR",
    paid_at: "2026-03-01T10:00:00Z",
  }));
  return { payments };
}

function pay(hostile: Hostile, payments: object): Promise<number> {
  return ask(hostile, "payment/ingest", payments, { token: hostile.retailerToken, api: "platform" });
}

const PAYMENTS: readonly Attack[] = [
  {
    name: "six callers of 5,000 payments, another retailer",
    start: (hostile) => forever(6, () => pay(hostile, makePayments(BATCH))),
  },
  {
    name: "payments that all have one identifier, six callers",
    start: (hostile) => forever(6, () => pay(hostile, makePayments(500, IDENTIFIER))),
  },
  {
    name: "purchases and payments that all have one identifier",
    start: async (hostile) => {
      // The card's identifier over six digits, as the retailer's software computes it.
      const { six } = transactionIdentifiers({
        authCode: "A1B2C3",
        network: "visa",
        bin: "411111",
        merchantId: HOSTILE_MERCHANT,
      });
      const purchases = () =>
        Array.from({ length: 200 }, () => makeEvent(hostile.member, { merchant_id: HOSTILE_MERCHANT }));
      await mustAsk(hostile, "wallet.stamp-collection/create", {
        member_id: hostile.member,
        loyalty_program_id: hostile.program,
      });
      await forever(4, (loop) =>
        loop % 2 === 0
          ? pay(hostile, makePayments(200, six))
          : ask(hostile, "transaction/ingest", { events: purchases() }, later),
      );
    },
  },
];

/** Both attacks: with purchases, and with a retailer's payments. */
export const INGESTION_ATTACKS: readonly Attack[] = [...INGESTION, ...PAYMENTS];
