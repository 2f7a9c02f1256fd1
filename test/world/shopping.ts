import type { Caller } from "./caller.ts";
import { Gate } from "./gate.ts";
import { type Offers, openOffers, type Shopper } from "./offers.ts";
import { Poller } from "./poller.ts";
import type { Purchase } from "./purchase.ts";
import { Reviser } from "./reviser.ts";
import { Till } from "./till.ts";
import { WebhookDesk } from "./webhook-desk.ts";

/** Everything by which a purchase can earn something, and the receivers of its events. */
export interface Shopping {
  readonly offers: Offers;
  readonly gate: Gate;
  readonly till: Till;
  readonly reviser: Reviser;
  readonly desk: WebhookDesk;
  readonly poller: Poller;
  readonly shoppers: Shopper[];
  /** The purchases of shoppers. */
  readonly purchases: Purchase[];
}

/** Resolves once the publisher shows every program and deal. */
export async function openShopping(caller: Caller, seed: number): Promise<Shopping> {
  const desk = await WebhookDesk.open(caller, seed);
  const offers = await openOffers(caller);
  const gate = new Gate();
  return {
    offers,
    gate,
    desk,
    till: new Till(caller, offers),
    reviser: new Reviser(caller, offers, gate),
    poller: new Poller(caller),
    shoppers: [],
    purchases: [],
  };
}
