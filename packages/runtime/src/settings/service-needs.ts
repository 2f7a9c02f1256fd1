import type { ServiceName } from "#contract";
import { SecretBox } from "../secret-box.ts";
import { StartError } from "../start-error.ts";
import type { Settings } from "./settings.ts";

/**
 * The servers that every service needs. The all-in-one hands its own to the services that it forks.
 * @throws StartError if one is not set
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
 * The servers of the reference platform: its own database, or its own schema in the publisher's database.
 * @throws StartError if one is not set
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

/**
 * The keys for secrets at rest. The all-in-one makes one and hands it to the services that it forks.
 * @throws StartError if no key is set
 */
export function requireEncryptionKeys({ encryptionKeys }: Settings): SecretBox {
  if (encryptionKeys === undefined) {
    throw new StartError(
      "encryption_keys_missing",
      'set STAMPEDE_ENCRYPTION_KEYS, such as "k1:$(openssl rand -base64 32)", the same for every process, and keep it safe',
    );
  }
  return new SecretBox(encryptionKeys);
}

const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|localhost)$/;

/**
 * A proxy identifies the console's users, or a link that was printed on the machine itself. So without
 * proxies only that machine may reach it, and with them the browsers' origin must be known.
 * @throws StartError if the settings would admit every user, or none
 */
export function assertConsoleAccess(settings: Settings): void {
  const { consoleProxies, consoleHost, consoleOrigin, consoleGroups } = settings;
  if (consoleProxies.length === 0 && !LOOPBACK.test(consoleHost)) {
    throw new StartError(
      "console_open",
      `STAMPEDE_CONSOLE_HOST is ${consoleHost}, which others can reach: name the proxies in front in STAMPEDE_CONSOLE_PROXIES, or leave it at 127.0.0.1`,
    );
  }
  if (consoleProxies.length > 0 && (consoleOrigin === undefined || consoleGroups.length === 0)) {
    throw new StartError(
      "console_closed",
      "STAMPEDE_CONSOLE_PROXIES needs STAMPEDE_CONSOLE_ORIGIN, where browsers see the console, and STAMPEDE_CONSOLE_GROUPS, who has which role",
    );
  }
}

/** The requirements of each service, apart from settings with a default. */
const NEEDS: Readonly<Record<ServiceName, ReadonlyArray<(settings: Settings) => unknown>>> = {
  edge: [requireEncryptionKeys, requireServers],
  ingest: [requireServers],
  platform: [requirePlatformServers],
  rewards: [requireServers],
  webhooks: [requireEncryptionKeys, requireServers],
  console: [requireServers, assertConsoleAccess],
};

/** The missing settings of a service, one sentence each. */
export function missingFor(service: ServiceName, settings: Settings): string[] {
  return NEEDS[service].flatMap((need) => {
    try {
      need(settings);
      return [];
    } catch (error) {
      if (error instanceof StartError) return [error.message];
      throw error;
    }
  });
}
