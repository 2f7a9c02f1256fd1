/** `npm run bench [-- options]`, `npm run bench -- reads|members|retention|rewards|webhooks|scaling|scale [options]`: see bench/README.md. */
import { BENCH_INGEST } from "./ingest/bench-ingest.ts";
import { type Benchmark, runBenchmark } from "./kit/benchmark.ts";
import type { CommonOptions } from "./kit/options.ts";
import { BENCH_MEMBERS } from "./members/bench-members.ts";
import { BENCH_READS } from "./reads/bench-reads.ts";
import { BENCH_RETENTION } from "./retention/bench-retention.ts";
import { BENCH_REWARDS } from "./rewards/bench-rewards.ts";
import { BENCH_SCALE } from "./scale/bench-scale.ts";
import { BENCH_SCALING } from "./scaling/bench-scaling.ts";
import { BENCH_WEBHOOKS } from "./webhooks/bench-webhooks.ts";

const BY_NAME: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  reads: (args) => main(BENCH_READS, args),
  members: (args) => main(BENCH_MEMBERS, args),
  retention: (args) => main(BENCH_RETENTION, args),
  rewards: (args) => main(BENCH_REWARDS, args),
  webhooks: (args) => main(BENCH_WEBHOOKS, args),
  scaling: (args) => main(BENCH_SCALING, args),
  scale: (args) => main(BENCH_SCALE, args),
};

// The reader of the output has gone (`| head`). The run continues: its line and drawing are worth having.
process.stdout.on("error", () => {});
const [first = "", ...others] = process.argv.slice(2);
process.exitCode = await (BY_NAME[first]?.(others) ?? main(BENCH_INGEST, process.argv.slice(2)));

async function main<Options extends CommonOptions, Results>(
  benchmark: Benchmark<Options, Results>,
  args: readonly string[],
): Promise<number> {
  const { usage, read } = benchmark.arguments;
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
  return (await runBenchmark(benchmark, options, { say, print })) ? 0 : 1;
}
