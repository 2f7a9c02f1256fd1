import { join, resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { readSettings } from "#runtime";
import { CommandError } from "../command-error.ts";
import { runShow } from "../demo/run-show.ts";
import { findRunningInstance, readPlatformTokenFile, readTokenFile } from "../running-instance.ts";
import type { CommandContext } from "../terminal.ts";

export function addDemoCommand(program: Command, { terminal, env, exit }: CommandContext): void {
  program
    .command("demo")
    .description(
      "show the running instance at work: one purchase, a load during which ingest is killed, every number checked",
    )
    .option("--seconds <number>", "how long the load lasts, 2 to 600", readSeconds, 20)
    .action(async ({ seconds }: { readonly seconds: number }) => {
      const { dataDir, consoleProxies, httpAdapter } = readSettings(env);
      const instance = findRunningInstance(dataDir);
      if (instance === undefined) {
        throw new CommandError(
          `nothing runs on ${resolve(dataDir)}: run \`npm start\` in another terminal, then this again`,
        );
      }
      const token = readTokenFile(instance);
      const { publisherUrl, databaseUrl, natsMonitorUrl } = instance;
      const agrees = await runShow({
        publisherUrl,
        databaseUrl,
        natsMonitorUrl,
        token,
        platform: { url: instance.platformUrl, token: readPlatformTokenFile(instance) },
        httpAdapter,
        consoleUrl: consoleProxies.length === 0 ? instance.consoleUrl : undefined,
        ingestRecordFile: join(dataDir, "ingest.process.json"),
        terminal,
        seconds,
      });
      if (!agrees) exit(1);
    });
}

function readSeconds(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) >= 2 && Number(text) <= 600) return Number(text);
  throw new InvalidArgumentError("It is a whole number from 2 to 600.");
}
