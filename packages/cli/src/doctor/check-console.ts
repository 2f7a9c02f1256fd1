import { assertConsoleAccess, type Settings, StartError } from "#runtime";
import { type Finding, fail, ok, warn } from "./finding.ts";

const CHECK = "console";

/**
 * Who can sign in to the console with these settings, and whether it has tokens.
 * @param instanceUrl the address of the running instance's console, whose port may differ; undefined without one
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
    ? `proxies at ${consoleProxies.join(", ")} authenticate the users of ${consoleOrigin}${consoleBasePath}`
    : `sign-in links let users in, at ${instanceUrl === undefined ? `${consoleHost}:${consolePort}${consoleBasePath}` : placeOf(instanceUrl)} on this machine only`;
  // The all-in-one start gives its console tokens.
  if (consoleTokens !== undefined || instanceUrl !== undefined) return ok(CHECK, who);
  if (!isProxied) return ok(CHECK, `${who}; without STAMPEDE_CONSOLE_TOKENS it has nothing to show`);
  return warn(CHECK, `${who}, and there is nothing to show: set STAMPEDE_CONSOLE_TOKENS`);
}

function placeOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}
