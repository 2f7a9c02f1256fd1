import { join, resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { readSettings } from "#runtime";
import { CommandError } from "../command-error.ts";
import { runDemo } from "../demo/run-demo.ts";
import { runShow } from "../demo/show/run-show.ts";
import { findRunningInstance, readPlatformTokenFile, readTokenFile } from "../running-instance.ts";
import type { CommandContext } from "../terminal.ts";

interface Flags {
  readonly seconds: number;
  readonly details: boolean;
  readonly run?: string;
}

export function addDemoCommand(program: Command, { terminal, env, exit }: CommandContext): void {
  program
    .command("demo")
    .description(
      "show the running instance at work: one purchase, a load during which ingest is killed, every number checked",
    )
    .option("--seconds <number>", "how long the load lasts, 2 to 600", readSeconds, 20)
    .option(
      "--details",
      "10,000 sample events instead, with everything that can happen to one, beside a model of their own",
      false,
    )
    .option("--run <tag>", "send an earlier run of --details again: nothing may change")
    .action(async ({ seconds, details, run }: Flags) => {
      if (run !== undefined && !/^[0-9a-z]{1,16}$/.test(run)) {
        throw new CommandError("--run takes the tag that an earlier run printed, such as mi8a2k3c");
      }
      const { dataDir, consoleProxies, httpAdapter } = readSettings(env);
      const instance = findRunningInstance(dataDir);
      if (instance === undefined) {
        throw new CommandError(
          `nothing runs on ${resolve(dataDir)}: run \`npm start\` in another terminal, then this again`,
        );
      }
      const token = readTokenFile(instance);
      const { publisherUrl, databaseUrl, natsMonitorUrl } = instance;
      const consoleUrl = consoleProxies.length === 0 ? instance.consoleUrl : undefined;
      const platform = { url: instance.platformUrl, token: readPlatformTokenFile(instance) };
      const options = { publisherUrl, databaseUrl, token, platform, consoleUrl, terminal };
      const agrees =
        details || run !== undefined
          ? await runDemo({ ...options, run })
          : await runShow({
              ...options,
              natsMonitorUrl,
              httpAdapter,
              seconds,
              ingestRecordFile: join(dataDir, "ingest.process.json"),
            });
      if (!agrees) exit(1);
    });
}

function readSeconds(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) >= 2 && Number(text) <= 600) return Number(text);
  throw new InvalidArgumentError("It is a whole number from 2 to 600.");
}
