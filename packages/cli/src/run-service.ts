import type { ServiceName } from "#contract";

/**
 * Turns this process into the service: `main.js` of the service reads the environment, answers signals and ends the process.
 * No service is imported by name (packages/tooling/src/import-rules.ts), it is started: here by the place of its program,
 * as the all-in-one start does with `fork`.
 */
export async function runService(name: ServiceName): Promise<void> {
  // As `npm start` and the image have it: a stack that gets into a log should name the sources.
  process.setSourceMapsEnabled(true);
  await import(new URL(`../../../services/${name}/src/main.js`, import.meta.url).href);
}
