import type { Command } from "commander";
import { closeStore, connectStore } from "#postgres";
import { REWARD_CHECKS, type RewardFault, verifyRewards } from "#publisher-db";
import { readSettings } from "#runtime";
import { findDatabase } from "../servers.ts";
import type { CommandContext, Terminal } from "../terminal.ts";

export function addVerifyCommand(program: Command, { terminal, env, exit }: CommandContext): void {
  program
    .command("verify")
    .description(
      "look for contradictions in stamps, redemptions, cashbacks and their events; fails if there are any",
    )
    .action(async () => {
      if (!(await verify(findDatabase(readSettings(env)), terminal))) exit(1);
    });
}

const FAULTS_SHOWN = 20;

/**
 * Looks for contradictions in the stored rewards. Writes a line for each check to `out`, tab-separated:
 * faults, rows, and what must hold; below it the first of the rows that break it.
 * @returns whether there are none
 */
export async function verify(databaseUrl: string, terminal: Terminal): Promise<boolean> {
  // No time-out: one statement counts all events, however many there are.
  const store = connectStore({ url: databaseUrl, max: 1, applicationName: "stampede-cli" });
  try {
    const { checked, lagging, faults } = await verifyRewards(store);
    for (const [kind, { of, holds }] of Object.entries(REWARD_CHECKS)) {
      const found = faults.filter((fault) => fault.kind === kind);
      terminal.out(`${found.length}\t${checked[of]}\t${kind}: ${holds}`);
      for (const fault of found.slice(0, FAULTS_SHOWN)) terminal.out(describe(fault));
      if (found.length > FAULTS_SHOWN) terminal.out(`\t\t… and ${found.length - FAULTS_SHOWN} more`);
    }
    terminal.err(`${faults.length} faults; ${lagging} rows whose transaction's settlement is on its way`);
    return faults.length === 0;
  } finally {
    await closeStore(store);
  }
}

/** Ids as the database has them, for somebody who will look there. */
function describe({ organisationId, id, detail }: RewardFault): string {
  return `\t\t${id} of organisation ${organisationId}: ${detail}`;
}
