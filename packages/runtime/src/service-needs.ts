import type { ServiceName } from "#contract";
import { requireEncryptionKeys } from "./require-encryption-keys.ts";
import { requirePlatformServers, requireServers } from "./require-servers.ts";
import type { Settings } from "./settings.ts";
import { StartError } from "./start-error.ts";

/** What each service asks for when it starts, beyond settings that have a default. */
const NEEDS: Readonly<Record<ServiceName, ReadonlyArray<(settings: Settings) => unknown>>> = {
  edge: [requireEncryptionKeys, requireServers],
  ingest: [requireServers],
  platform: [requirePlatformServers],
  rewards: [requireServers],
  webhooks: [requireEncryptionKeys, requireServers],
};

/** What a service would say is missing if it were started with these settings, one sentence each. */
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
