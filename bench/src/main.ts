/** `npm run bench [-- options]`: see bench/README.md. */
import { type Options, readOptions, USAGE } from "./options.ts";
import { runBench } from "./run-bench.ts";

// Whoever read the output has gone (`| head`): the run goes on, its line and drawing are worth having.
process.stdout.on("error", () => {});
process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let options: Options | "help";
  try {
    options = readOptions(args);
  } catch (error) {
    process.stderr.write(`bench: ${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  const print = (text: string): void => void process.stdout.write(text);
  if (options === "help") {
    print(USAGE);
    return 0;
  }
  const startedAt = performance.now();
  const say = (text: string): void => {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0).padStart(4);
    print(`bench: ${seconds} s  ${text}\n`);
  };
  return (await runBench(options, say, print)) ? 0 : 1;
}
