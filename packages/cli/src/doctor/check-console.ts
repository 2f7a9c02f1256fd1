import { assertConsoleAccess, type Settings, StartError } from "#runtime";
import { type Finding, fail, ok, warn } from "./finding.ts";

const CHECK = "console";

/**
 * Who would be let into the console with these settings, and whether it has anything to show.
 * @param instanceUrl where the console of the running instance is, whose port may be another one; undefined without it
 */
export function checkConsole(settings: Settings, instanceUrl: string | undefined): Finding {
  const { consoleProxies, consoleOrigin, consoleBasePath, consoleHost, consolePort, consoleTokens } =
    settings;
  try {
    assertConsoleAccess(settings);
  } catch (error) {
    if (error instanceof StartError) return fail(CHECK, error.message);
    throw error;
  }
  const isProxied = consoleProxies.length > 0;
  const who = isProxied
    ? `proxies at ${consoleProxies.join(", ")} say who comes to ${consoleOrigin}${consoleBasePath}`
    : `links let people in, at ${instanceUrl === undefined ? `${consoleHost}:${consolePort}${consoleBasePath}` : placeOf(instanceUrl)} of this machine alone`;
  // The all-in-one start gives it the tokens that it has made.
  if (consoleTokens !== undefined || instanceUrl !== undefined) return ok(CHECK, who);
  if (!isProxied) return ok(CHECK, `${who}; without STAMPEDE_CONSOLE_TOKENS it has nothing to show`);
  return warn(CHECK, `${who}, and there is nothing to show: set STAMPEDE_CONSOLE_TOKENS`);
}

function placeOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}
