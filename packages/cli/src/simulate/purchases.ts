import { hash } from "node:crypto";
import { type StampedeClient, StampedeError } from "#client";
import type { TransactionEvent } from "#contract";
import { transactionIdentifiers } from "#domain";
import { CommandError } from "../command-error.ts";
import type { CardFields } from "./card-fields.ts";
import type { Offer } from "./find-offer.ts";

/** All `external_id`s of simulated purchases begin so. */
const PREFIX = "simulated-";
const CARD = { network: "visa", bin: "45717360" } as const;

/**
 * Made of the `external_id`, so that a purchase can be gone on with later: card data is stored nowhere, and every event has
 * to repeat it.
 */
function authCodeOf(externalId: string): string {
  return hash("sha256", externalId).slice(0, 8).toUpperCase();
}

/** The purchases of one run, by their names in the scenario: each as its next event says it, before a date is put to it. */
export class Purchases {
  readonly #events = new Map<string, TransactionEvent>();
  readonly #make: (name: string) => TransactionEvent;

  /** @param make the purchase with this name, as its first event says it */
  private constructor(make: (name: string) => TransactionEvent) {
    this.#make = make;
  }

  /** New ones, of a member at the merchant of an offer. */
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

  /** One that an earlier run made. */
  static async goOn(client: StampedeClient, externalId: string, set: CardFields): Promise<Purchases> {
    const stored = await client.getTransaction(externalId).catch((error: unknown) => {
      if (!(error instanceof StampedeError) || error.code !== "not_found") throw error;
      throw new CommandError(`there is no transaction ${externalId}`);
    });
    if (stored.member_id === null || stored.member_id === undefined) {
      throw new CommandError(`the member of ${externalId} was deleted: nothing more can be said of it`);
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

  /** Whether it is the `external_id` of one of them that has begun. */
  isOne(externalId: string): boolean {
    return this.externalIds.includes(externalId);
  }

  get externalIds(): string[] {
    return [...this.#events.values()].map(({ external_id }) => external_id);
  }

  /** @param set what changes with this step, and stays so */
  eventOf(name: string, set: CardFields): TransactionEvent {
    const event = { ...(this.#events.get(name) ?? this.#make(name)), ...set };
    this.#events.set(name, event);
    return event;
  }
}

/** Those that the retailer's software makes of the same card. */
export function identifiersOf({ auth_code, network, bin, merchant_id }: TransactionEvent): string[] {
  const { six, eight } = transactionIdentifiers({
    authCode: auth_code,
    network,
    bin,
    merchantId: merchant_id,
  });
  return eight === null ? [six] : [six, eight];
}
