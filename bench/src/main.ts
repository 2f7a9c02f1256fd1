/** `npm run bench [-- options]`, `npm run bench -- reads|members|rewards|webhooks|scaling [options]`: see bench/README.md. */
import { benchMembers } from "./members/bench-members.ts";
import { MEMBERS_USAGE, readMembersOptions } from "./members/options.ts";
import { readOptions, USAGE } from "./options.ts";
import { benchReads } from "./reads/bench-reads.ts";
import { READS_USAGE, readReadsOptions } from "./reads/options.ts";
import { benchRewards } from "./rewards/bench-rewards.ts";
import { REWARDS_USAGE, readRewardsOptions } from "./rewards/options.ts";
import { runBench } from "./run-bench.ts";
import { benchScaling } from "./scaling/bench-scaling.ts";
import { readScalingOptions, SCALING_USAGE } from "./scaling/options.ts";
import { benchWebhooks } from "./webhooks/bench-webhooks.ts";
import { readWebhooksOptions, WEBHOOKS_USAGE } from "./webhooks/options.ts";

type Print = (text: string) => void;

// Whoever read the output has gone (`| head`): the run goes on, its line and drawing are worth having.
process.stdout.on("error", () => {});
const [first, ...others] = process.argv.slice(2);
process.exitCode = await choose();

function choose(): Promise<number> {
  switch (first) {
    case "reads":
      return main(others, readReadsOptions, READS_USAGE, benchReads);
    case "members":
      return main(others, readMembersOptions, MEMBERS_USAGE, benchMembers);
    case "rewards":
      return main(others, readRewardsOptions, REWARDS_USAGE, benchRewards);
    case "webhooks":
      return main(others, readWebhooksOptions, WEBHOOKS_USAGE, benchWebhooks);
    case "scaling":
      return main(others, readScalingOptions, SCALING_USAGE, benchScaling);
    default:
      return main(process.argv.slice(2), readOptions, USAGE, runBench);
  }
}

async function main<Options extends object>(
  args: readonly string[],
  read: (args: readonly string[]) => Options | "help",
  usage: string,
  run: (options: Options, say: Print, print: Print) => Promise<boolean>,
): Promise<number> {
  let options: Options | "help";
  try {
    options = read(args);
  } catch (error) {
    process.stderr.write(`bench: ${(error as Error).message}\n\n${usage}`);
    return 2;
  }
  const print = (text: string): void => void process.stdout.write(text);
  if (options === "help") {
    print(usage);
    return 0;
  }
  const startedAt = performance.now();
  const say = (text: string): void => {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0).padStart(4);
    print(`bench: ${seconds} s  ${text}\n`);
  };
  return (await run(options, say, print)) ? 0 : 1;
}
