import type { DealConfig, ProgramConfig } from "#contract";
import { encodeId } from "#domain";
import type { StoredDeal } from "./deals/deal.ts";
import type { StoredProgram } from "./programs/program.ts";

/*
 * Programs and deals as publishers get them (contract, section 8). The rules stay here, but for the currency of a
 * program's rewards and for whether earlier purchases count: which links a purchase has is the publisher's to say.
 */

export function toProgramConfig(program: StoredProgram): ProgramConfig {
  const { currency, retroactive } = program.rules;
  return {
    v: 1,
    kind: "loyalty-program",
    id: encodeId("lp", program.id),
    revision: program.revision,
    record:
      program.deletedAt !== null
        ? null
        : {
            name: program.name,
            qualifying_threshold: program.qualifyingThreshold,
            reward_config: program.rewardConfig,
            display_content: program.displayContent,
            ...(currency !== undefined && { currency }),
            ...(retroactive !== undefined && { retroactive }),
            created_at: program.createdAt.toISOString(),
            updated_at: program.updatedAt.toISOString(),
          },
  };
}

export function toDealConfig(deal: StoredDeal): DealConfig {
  const { retroactive } = deal.rules;
  return {
    v: 1,
    kind: "deal",
    id: encodeId("deal", deal.id),
    revision: deal.revision,
    record:
      deal.deletedAt !== null
        ? null
        : {
            name: deal.name,
            reward_config: deal.rewardConfig,
            display_content: deal.displayContent,
            ...(deal.startsAt !== null && { starts_at: deal.startsAt }),
            ...(deal.endsAt !== null && { ends_at: deal.endsAt }),
            ...(retroactive !== undefined && { retroactive }),
            created_at: deal.createdAt.toISOString(),
            updated_at: deal.updatedAt.toISOString(),
          },
  };
}
