import { uuidv7 } from "uuidv7";
import type { DealFields } from "../../services/platform/src/configuration/deals.ts";
import type { ProgramFields } from "../../services/platform/src/configuration/programs.ts";
import type { Identified } from "../../services/platform/src/configuration/revised-table.ts";

/** Of any program or deal. */
export const DISPLAY_CONTENT = { title: "T", image: "I", summary: "S", description: "D", terms: "C" };

/** The fields of a new program, with these changes. */
export function programFields(changes: Partial<Identified<ProgramFields>> = {}): Identified<ProgramFields> {
  return {
    id: uuidv7(),
    name: "Coffee",
    qualifyingThreshold: 10,
    rewardConfig: { type: "refund" },
    displayContent: DISPLAY_CONTENT,
    rules: { merchant_ids: ["M-1"], confirmation: "retailer" },
    ...changes,
  };
}

/** The fields of a new deal, with these changes. */
export function dealFields(changes: Partial<Identified<DealFields>> = {}): Identified<DealFields> {
  return {
    id: uuidv7(),
    name: "Tea",
    rewardConfig: { type: "percent", percent: 12.5 },
    displayContent: DISPLAY_CONTENT,
    rules: { merchant_ids: ["M-1"], confirmation: "retailer" },
    startsAt: null,
    endsAt: null,
    ...changes,
  };
}
