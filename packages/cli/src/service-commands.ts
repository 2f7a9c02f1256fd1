import type { Command } from "commander";
import { SERVICE_NAMES, type ServiceName } from "#contract";

const ABOUT: Readonly<Record<ServiceName, string>> = {
  edge: "it serves the publisher API, and publishes events to the streams",
  ingest: "it writes events from the streams to PostgreSQL",
  platform: "it serves the reference platform's API, pairs purchases with payments, and decides outcomes",
  rewards: "it turns outcomes and settlements into stamps and cashbacks",
  webhooks: "it sends webhook events",
  console: "it serves a page for people: purchases, members, webhooks, and the state of the pipeline",
};

/** `stampede edge` and the others: each runs that service as this process until SIGTERM or SIGINT. */
export function addServiceCommands(program: Command, run: (name: ServiceName) => Promise<void>): void {
  for (const name of SERVICE_NAMES) {
    program
      .command(name)
      .description(`run this service in this process: ${ABOUT[name]}`)
      .action(() => run(name));
  }
}

/** The service that a command line names, if it has no other argument; undefined if the program has to parse it. */
export function plainService(args: readonly string[]): ServiceName | undefined {
  const [only, ...rest] = args;
  return rest.length === 0 ? SERVICE_NAMES.find((name) => name === only) : undefined;
}

/**
 * Turns this process into the service: its `main.js` reads the environment, handles signals and ends the process. Packages may
 * not import services (packages/tooling/src/import-rules.ts), so it is loaded by its path, as the all-in-one start does.
 */
export async function runService(name: ServiceName): Promise<void> {
  // As in `npm start` and the image, so that stacks in logs name the sources.
  process.setSourceMapsEnabled(true);
  await import(new URL(`../../../services/${name}/src/main.js`, import.meta.url).href);
}
