import type { Settings } from "./settings.ts";

type Relation = (settings: Settings) => string | undefined;

/** What settings that are right by themselves must be to each other. Each says what is wrong, or nothing. */
const RELATIONS: readonly Relation[] = [
  ({ httpHost, httpPort, opsHost, opsPort }) =>
    isSameAddress(httpHost, httpPort, opsHost, opsPort)
      ? `STAMPEDE_HTTP_PORT and STAMPEDE_OPS_PORT are both ${opsPort}: one process listens on both`
      : undefined,
  ({ platformHost, platformPort, opsHost, opsPort }) =>
    isSameAddress(platformHost, platformPort, opsHost, opsPort)
      ? `STAMPEDE_PLATFORM_PORT and STAMPEDE_OPS_PORT are both ${opsPort}: one process listens on both`
      : undefined,
];

const EVERY_ADDRESS: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/** Port 0 is a free one. */
function isSameAddress(host: string, port: number, otherHost: string, otherPort: number): boolean {
  if (port === 0 || port !== otherPort) return false;
  return host === otherHost || EVERY_ADDRESS.has(host) || EVERY_ADDRESS.has(otherHost);
}

/** The relations that do not hold, one sentence each. */
export function brokenRelations(settings: Settings): string[] {
  return RELATIONS.map((relation) => relation(settings)).filter((problem) => problem !== undefined);
}
