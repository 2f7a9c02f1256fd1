import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { LicensedPackage } from "./licence-rules.ts";

interface LockedPackage {
  readonly license?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
}

/** How packages state a licence: today's way, and two that npm took before. */
interface StatedLicence {
  readonly license?: string | { readonly type?: string };
  readonly licenses?: ReadonlyArray<{ readonly type?: string }>;
}

/**
 * Every package of the lockfile. What is installed is asked itself, for the lockfile only repeats what it said when it was
 * locked; of those for other platforms only the lockfile knows.
 */
export function installedLicences(root: string): LicensedPackage[] {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, LockedPackage>;
  };
  return Object.entries(lock.packages)
    .filter(([path, { link }]) => path !== "" && !link)
    .map(([path, locked]) => {
      const manifest = join(root, path, "package.json");
      const stated = existsSync(manifest) ? readFileSync(manifest, "utf8") : undefined;
      return {
        path,
        licence: stated === undefined ? locked.license : statedLicence(JSON.parse(stated) as StatedLicence),
        isDevelopment: Boolean(locked.dev || locked.devOptional),
      };
    });
}

export function statedLicence({ license, licenses }: StatedLicence): string | undefined {
  if (typeof license === "string") return license;
  if (license?.type !== undefined) return license.type;
  const types = licenses?.map(({ type }) => type ?? "unknown") ?? [];
  return types.length === 0 ? undefined : `(${types.join(" OR ")})`;
}
