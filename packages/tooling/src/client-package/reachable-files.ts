import { posix } from "node:path";
import { parseImports } from "../parse-imports.ts";

/** The parts of a package.json that name the files of its entries. */
export interface PackageManifest {
  readonly exports: Readonly<Record<string, string | EntryTargets>>;
  readonly imports: Readonly<Record<string, EntryTargets>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

interface EntryTargets {
  readonly types: string;
  readonly default: string;
}

/**
 * The compiled files, code and types, that a package's entries lead to, by path from the package.
 * @param read the text of one of its files
 * @throws Error if one of them imports a module that the package lacks: a library that it does not depend on,
 *   or a `#` name that its package.json does not define
 */
export function reachableFiles(manifest: PackageManifest, read: (path: string) => string): Set<string> {
  const entries = Object.values(manifest.exports).filter((entry) => typeof entry !== "string");
  const waiting = entries.flatMap((entry) => [entry.types, entry.default].map(withoutDot));
  const reached = new Set<string>(waiting);
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    for (const { specifier } of parseImports(read(file))) {
      const target = targetOf(file, specifier, manifest);
      if (target === undefined || reached.has(target)) continue;
      reached.add(target);
      waiting.push(target);
    }
  }
  return reached;
}

/** Undefined for modules outside of the package that need not be in it: Node's own and its dependencies. */
function targetOf(file: string, specifier: string, manifest: PackageManifest): string | undefined {
  const isTypes = file.endsWith(".d.ts");
  if (specifier.startsWith(".")) {
    const path = posix.join(posix.dirname(file), specifier);
    return isTypes ? path.replace(/(?<!\.d)\.(?:ts|js)$/, ".d.ts") : path;
  }
  if (specifier.startsWith("#")) {
    const entry = manifest.imports[specifier];
    if (entry === undefined) throw new Error(`${file} imports ${specifier}, which its package.json lacks`);
    return withoutDot(isTypes ? entry.types : entry.default);
  }
  if (specifier.startsWith("node:") || Object.hasOwn(manifest.dependencies, specifier)) return undefined;
  throw new Error(`${file} imports ${specifier}, which is no dependency of the package`);
}

function withoutDot(path: string): string {
  return path.replace(/^\.\//, "");
}
