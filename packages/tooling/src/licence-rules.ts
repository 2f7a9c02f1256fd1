import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import satisfies from "spdx-satisfies";

/** A package of package-lock.json, with the licence that its own package.json states. */
export interface LicensedPackage {
  /** Its place: `node_modules/a/node_modules/b`. */
  readonly path: string;
  /** An SPDX expression; undefined if none is stated. */
  readonly licence: string | undefined;
  /** Neither the image nor an installation without development dependencies has it. */
  readonly isDevelopment: boolean;
}

export interface LicenceException {
  readonly package: string;
  /** The exact stated text: another licence needs another decision. Undefined: none is stated. */
  readonly licence: string | undefined;
  readonly reason: string;
  /** Holds only while the package is not shipped. */
  readonly isDevelopmentOnly: boolean;
}

/** Permissive licences: they ask to keep their text or a notice, and ask nothing of the code that uses them. */
const ALLOWED_LICENCES: readonly string[] = [
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "Unlicense",
  "Zlib",
];

const LICENCE_EXCEPTIONS: readonly LicenceException[] = [
  {
    package: "uWebSockets.js",
    licence: undefined,
    reason: "its package.json states none; the LICENSE file beside it is Apache-2.0, as upstream's",
    isDevelopmentOnly: false,
  },
  {
    package: "jsonc-simple-parser",
    licence: undefined,
    reason:
      "its package.json states none; its read-me says MIT; the test framework reads tsconfig.json with it",
    isDevelopmentOnly: true,
  },
  {
    package: "argparse",
    licence: "PSF-2.0",
    reason:
      "permissive, as Python's own; the linter of the OpenAPI documents reads YAML with it, and it is not shipped",
    isDevelopmentOnly: true,
  },
  {
    package: "axe-core",
    licence: "MPL-2.0",
    reason: "asks for its own files' source only; the browser tests run it unchanged, and it is not shipped",
    isDevelopmentOnly: true,
  },
  {
    package: "spdx-exceptions",
    licence: "CC-BY-3.0",
    reason: "a list of names; package tools read it, and it is not shipped",
    isDevelopmentOnly: true,
  },
  {
    package: "spdx-ranges",
    licence: "(MIT AND CC-BY-3.0)",
    reason: "a list of names; this gate reads it, and it is not shipped",
    isDevelopmentOnly: true,
  },
];

/** Each package whose licence is not allowed, and each exception that no package needs. */
export function licenceProblems(
  packages: readonly LicensedPackage[],
  exceptions: readonly LicenceException[] = LICENCE_EXCEPTIONS,
): string[] {
  const used = new Set<LicenceException>();
  const problems: string[] = [];
  for (const installed of packages) {
    if (isAllowed(installed.licence)) continue;
    const exception = exceptions.find((one) => excepts(one, installed));
    if (exception === undefined) problems.push(`${installed.path}: ${describe(installed)}`);
    else used.add(exception);
  }
  const unused = exceptions.filter((exception) => !used.has(exception));
  return [
    ...problems,
    ...unused.map(({ package: name }) => `${name}: has an exception that it does not need`),
  ];
}

/**
 * `OR`: one of them is enough; `AND`: all. A text that is no SPDX expression, such as `SEE LICENSE IN a.txt`,
 * allows nothing.
 */
function isAllowed(licence: string | undefined): boolean {
  if (licence === undefined) return false;
  try {
    return satisfies(licence, ALLOWED_LICENCES);
  } catch {
    return false;
  }
}

function excepts(exception: LicenceException, { path, licence, isDevelopment }: LicensedPackage): boolean {
  if (path.replace(/^.*node_modules\//, "") !== exception.package) return false;
  return exception.licence === licence && (isDevelopment || !exception.isDevelopmentOnly);
}

function describe({ licence, isDevelopment }: LicensedPackage): string {
  const what =
    licence === undefined ? "states no licence" : `has the licence ${licence}, which is not allowed`;
  return isDevelopment ? what : `${what}, and is shipped`;
}

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
 * Every package of the lockfile. Installed packages are read themselves, because the lockfile only repeats
 * their statement at the time of locking; for packages of other platforms there is only the lockfile
 * (`license-checker-rseidelsohn` sees installed packages only, and cannot allow a licence to one package
 * while it is not shipped).
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
