import { hash } from "node:crypto";
import type { StampedeClient } from "#client";
import type { TransactionEvent } from "#contract";
import { transactionIdentifiers } from "#domain";
import { CommandError } from "../command-error.ts";
import { type Offer, orMissing } from "./find-offer.ts";
import type { CardFields } from "./scenario.ts";

/** Of the `external_id`s of all simulated purchases. */
const PREFIX = "simulated-";
const CARD = { network: "visa", bin: "45717360" } as const;

/**
 * Computed from the `external_id`, so that a later run can continue the purchase: every event has to repeat the card data, and
 * it is stored nowhere.
 */
function authCodeOf(externalId: string): string {
  return hash("sha256", externalId).slice(0, 8).toUpperCase();
}

/** The purchases of one run, by their names in the scenario: each as its next event, without that event's date. */
export class Purchases {
  readonly #events = new Map<string, TransactionEvent>();
  readonly #make: (name: string) => TransactionEvent;

  /** @param make the first event of the purchase with this name */
  private constructor(make: (name: string) => TransactionEvent) {
    this.#make = make;
  }

  /** New purchases of a member at the merchant of an offer. */
  static begin(memberId: string, offer: Offer, set: CardFields): Purchases {
    const { merchantId, descriptor, amount, currency } = offer;
    const at = set.merchant_id ?? merchantId;
    if (at === undefined)
      throw new CommandError("give --set merchant_id=…: no rules say where the purchase is made");
    const prefix = `${PREFIX}${Date.now().toString(36)}-`;
    return new Purchases((name) => ({
      member_id: memberId,
      external_id: prefix + name,
      auth_code: authCodeOf(prefix + name),
      ...CARD,
      merchant_id: at,
      ...(descriptor !== undefined && { statement_descriptor: descriptor }),
      amount,
      currency,
      authed_at: new Date().toISOString(),
      ...set,
    }));
  }

  /** A purchase that an earlier run made. */
  static async goOn(client: StampedeClient, externalId: string, set: CardFields): Promise<Purchases> {
    const stored = await orMissing(
      client.getTransaction(externalId),
      `there is no transaction ${externalId}`,
    );
    if (stored.member_id === null || stored.member_id === undefined) {
      throw new CommandError(`the member of ${externalId} was deleted: no more events can be sent for it`);
    }
    const { member_id, merchant_id, statement_descriptor, amount, currency, authed_at } = stored;
    const event: TransactionEvent = {
      member_id,
      external_id: externalId,
      auth_code: authCodeOf(externalId),
      ...CARD,
      merchant_id,
      ...(statement_descriptor !== undefined && { statement_descriptor }),
      ...(amount !== undefined && { amount }),
      ...(currency !== undefined && { currency }),
      authed_at,
      ...set,
    };
    if (!identifiersOf(event).includes(stored.identifiers[0] ?? "")) {
      throw new CommandError(
        `${externalId} was not made by \`stampede simulate\`, and its card data is stored nowhere: give --set auth_code=…, bin and network`,
      );
    }
    return new Purchases(() => event);
  }

  /** Whether this is the `external_id` of a purchase that has begun. */
  isOne(externalId: string): boolean {
    return this.externalIds.includes(externalId);
  }

  get externalIds(): string[] {
    return [...this.#events.values()].map(({ external_id }) => external_id);
  }

  /** @param set fields that change with this step, and stay */
  eventOf(name: string, set: CardFields): TransactionEvent {
    const event = { ...(this.#events.get(name) ?? this.#make(name)), ...set };
    this.#events.set(name, event);
    return event;
  }
}

/** The identifiers that the retailer's software computes from the same card. */
export function identifiersOf({ auth_code, network, bin, merchant_id }: TransactionEvent): string[] {
  const { six, eight } = transactionIdentifiers({
    authCode: auth_code,
    network,
    bin,
    merchantId: merchant_id,
  });
  return eight === null ? [six] : [six, eight];
}
