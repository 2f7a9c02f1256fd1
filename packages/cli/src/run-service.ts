import type { ServiceName } from "#contract";

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
