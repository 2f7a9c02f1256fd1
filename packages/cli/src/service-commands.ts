import type { Command } from "commander";
import { SERVICE_NAMES, type ServiceName } from "#contract";

const ABOUT: Readonly<Record<ServiceName, string>> = {
  edge: "the publisher API: takes requests, and events into the stream",
  ingest: "events from the stream into PostgreSQL",
  platform: "the reference platform: its API, matching, outcomes",
  rewards: "outcomes, settlements and configuration into stamps and cashbacks",
  webhooks: "events to the webhooks of their organisations",
  console: "a page for people: what became of a purchase, and whether all is well",
};

/** `stampede edge` and the others: each runs that service as this process until SIGTERM or SIGINT. */
export function addServiceCommands(program: Command, run: (name: ServiceName) => Promise<void>): void {
  for (const name of SERVICE_NAMES) {
    program
      .command(name)
      .description(`run this service as this process; ${ABOUT[name]}`)
      .action(() => run(name));
  }
}

/**
 * The service that a command line asks for, if it asks for nothing else; undefined if the whole program has
 * to read the line.
 */
export function plainService(args: readonly string[]): ServiceName | undefined {
  const [only, ...rest] = args;
  return rest.length === 0 ? SERVICE_NAMES.find((name) => name === only) : undefined;
}

/**
 * Turns this process into the service: the service's `main.js` reads the environment, answers signals and
 * ends the process. Packages may not import services (packages/tooling/src/import-rules.ts), so the service's
 * program is loaded by its path, as the all-in-one start does with `fork`.
 */
export async function runService(name: ServiceName): Promise<void> {
  // As in `npm start` and the image: a stack in a log should name the sources.
  process.setSourceMapsEnabled(true);
  await import(new URL(`../../../services/${name}/src/main.js`, import.meta.url).href);
}
