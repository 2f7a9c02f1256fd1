import type { Settings } from "./settings.ts";
import { StartError } from "./start-error.ts";

/**
 * The servers that every service works on. The all-in-one start hands its own to the services that it forks.
 * @throws StartError when one is not named
 */
export function requireServers(settings: Settings): { databaseUrl: string; natsUrl: string } {
  const { databaseUrl, natsUrl } = settings;
  if (databaseUrl === undefined || natsUrl === undefined) {
    throw new StartError(
      "servers_missing",
      "set DATABASE_URL and NATS_URL, or use `npm start` for embedded servers",
    );
  }
  return { databaseUrl, natsUrl };
}

/**
 * The servers of the reference platform: a database of its own, or its schema in the publisher's.
 * @throws StartError when one is not named
 */
export function requirePlatformServers(settings: Settings): { databaseUrl: string; natsUrl: string } {
  const { platformDatabaseUrl, databaseUrl = platformDatabaseUrl, natsUrl } = settings;
  if (databaseUrl === undefined || natsUrl === undefined) {
    throw new StartError(
      "servers_missing",
      "set STAMPEDE_PLATFORM_DATABASE_URL or DATABASE_URL, and NATS_URL, or use `npm start` for embedded servers",
    );
  }
  return { databaseUrl: platformDatabaseUrl ?? databaseUrl, natsUrl };
}
