import type { Settings } from "./settings.ts";

/**
 * Puts STAMPEDE_DATABASE_CA_FILE into the URLs, in libpq's words, where whoever connects finds it: every connection that is
 * made with them then demands TLS, this authority, and the host's name. Gives what is wrong, one sentence each.
 */
export function demandAuthority(settings: Partial<Settings>, into: Record<string, unknown>): string[] {
  const { databaseCaFile } = settings;
  if (databaseCaFile === undefined) return [];
  const problems: string[] = [];
  for (const [name, key] of [
    ["databaseUrl", "DATABASE_URL"],
    ["platformDatabaseUrl", "STAMPEDE_PLATFORM_DATABASE_URL"],
  ] as const) {
    const url = settings[name];
    if (url === undefined) continue;
    const withAuthority = demand(url, databaseCaFile);
    if (withAuthority === undefined) {
      const doThis = "leave sslmode and sslrootcert out of it";
      problems.push(
        `STAMPEDE_DATABASE_CA_FILE demands sslmode=verify-full and ${key} says something else: ${doThis}`,
      );
    } else into[name] = withAuthority;
  }
  return problems;
}

function demand(url: string, caFile: string): string | undefined {
  const asked = new URL(url).searchParams;
  if ((asked.get("sslmode") ?? "verify-full") !== "verify-full" || asked.has("sslrootcert")) return undefined;
  const mode = asked.has("sslmode") ? "" : "sslmode=verify-full&";
  return `${url}${url.includes("?") ? "&" : "?"}${mode}sslrootcert=${encodeURIComponent(caFile)}`;
}
