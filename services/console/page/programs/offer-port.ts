import { call } from "../api.ts";
import { type OfferForm, type Read, readDeal, readProgram } from "./offer-form.ts";
import type { DealFields, DryRun, OfferKind, ProgramFields } from "./program-types.ts";

/** In what programs differ from deals for the page that edits them. `id` is undefined for one that is not kept yet. */
export interface OfferPort<Fields> {
  readonly kind: OfferKind;
  /** Where the list is. */
  readonly list: string;
  read(form: OfferForm): Read<Fields>;
  dryRun(fields: Fields, id: string | undefined): Promise<DryRun>;
  /** @param idempotencyKey the same for every attempt at one new record, so that it is made once */
  save(
    fields: Fields,
    id: string | undefined,
    options: { readonly reason: string; readonly idempotencyKey: string },
  ): Promise<{ readonly id: string }>;
  remove(id: string, reason: string): Promise<unknown>;
}

const withId = <Fields>(fields: Fields, id: string | undefined) => ({
  ...fields,
  ...(id !== undefined && { id }),
});

export const PROGRAM_PORT: OfferPort<ProgramFields> = {
  kind: "program",
  list: "/programs",
  read: readProgram,
  dryRun: (fields, id) => call("platform.v1/loyalty-program/dry-run", withId(fields, id)),
  save: (fields, id, { reason, idempotencyKey }) =>
    call("platform.v1/loyalty-program/upsert", withId(fields, id), {
      reason,
      ...(id === undefined && { idempotencyKey }),
    }),
  remove: (id, reason) => call("platform.v1/loyalty-program/delete", { id }, { reason }),
};

export const DEAL_PORT: OfferPort<DealFields> = {
  kind: "deal",
  list: "/programs/deals",
  read: readDeal,
  dryRun: (fields, id) => call("platform.v1/deal/dry-run", withId(fields, id)),
  save: (fields, id, { reason, idempotencyKey }) =>
    call("platform.v1/deal/upsert", withId(fields, id), {
      reason,
      ...(id === undefined && { idempotencyKey }),
    }),
  remove: (id, reason) => call("platform.v1/deal/delete", { id }, { reason }),
};

/** A key that nobody else has. */
export function newKey(): string {
  return `console-${[...crypto.getRandomValues(new Uint32Array(4))].join("-")}`;
}
