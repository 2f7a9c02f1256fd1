import type { Command } from "commander";
import type { Store } from "#postgres";
import { REWARD_CHECKS, type RewardFault, verifyRewards } from "#publisher-db";
import { readSettings } from "#runtime";
import { countReplayRejections, describeOpen } from "../replay/replay-rejections.ts";
import { findDatabase, withDatabase } from "../servers.ts";
import type { CommandContext, Terminal } from "../terminal.ts";

export function addVerifyCommand(program: Command, { terminal, env, exit }: CommandContext): void {
  program
    .command("verify")
    .description(
      "look for contradictions in stamps, redemptions, cashbacks and their events; fails if there are any",
    )
    .action(async () => {
      const holds = await withDatabase(findDatabase(readSettings(env)), (store) => verify(store, terminal));
      if (!holds) exit(1);
    });
}

const FAULTS_SHOWN = 20;

/**
 * Looks for contradictions in the stored rewards. Writes a head and a line for each check to `out`, tab-separated: faults,
 * rows, and what must hold; below it the first rows that break it.
 * @returns whether there are none
 */
async function verify(store: Store, terminal: Terminal): Promise<boolean> {
  const { checked, lagging, faults } = await verifyRewards(store);
  terminal.out("faults\trows\twhat must hold");
  for (const [kind, { of, holds }] of Object.entries(REWARD_CHECKS)) {
    const found = faults.filter((fault) => fault.kind === kind);
    terminal.out(`${found.length}\t${checked[of]}\t${kind}: ${holds}`);
    for (const fault of found.slice(0, FAULTS_SHOWN)) terminal.out(describe(fault));
    if (found.length > FAULTS_SHOWN) terminal.out(`\t\t… and ${found.length - FAULTS_SHOWN} more`);
  }
  terminal.err(`${faults.length} faults; ${lagging} rows whose transaction's settlement is on its way`);
  const open = await countReplayRejections(store);
  if (open.events > 0) terminal.err(`${describeOpen(open)}: stampede replay rejected --members`);
  return faults.length === 0;
}

/** With ids as the database has them. */
function describe({ organisationId, id, detail }: RewardFault): string {
  return `\t\t${id} of organisation ${organisationId}: ${detail}`;
}
