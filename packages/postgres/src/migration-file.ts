import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { AdvisoryLock } from "./advisory-lock.ts";

/** Migrations that belong together, and the place where a database records them. */
export interface MigrationSet {
  readonly directory: string;
  /** The schema that is created for all of them. Absent: the connection's own schema, usually `public`. */
  readonly schema?: string;
  /** Sets that share a database have different locks. */
  readonly lock: AdvisoryLock;
  /**
   * SQL that grants the services' roles their rights; run after the migrations. Absent: there are no rights
   * to give.
   */
  readonly rightsFile?: string;
}

export interface MigrationFile {
  /** The file's name without `.sql`; the number in front makes name order the order of application. */
  readonly name: string;
  readonly text: string;
  /** SHA-256 of the text, lowercase hex. */
  readonly checksum: string;
  /** The line in the file that says which code cannot work after this migration, and why. */
  readonly incompatible: Incompatibility | undefined;
  /**
   * The statements of a file that builds indexes while others write: each outside a transaction, in order.
   */
  readonly concurrent: readonly string[] | undefined;
}

interface Incompatibility {
  /** Name of a migration: code whose last migration comes before it cannot work on the database. */
  readonly before: string;
  /** The reason, and the action for an upgrade. */
  readonly reason: string;
}

/**
 * `-- incompatible: <reason and step>` means before this migration; another one can be named: `--
 * incompatible before 0012_name: …`.
 */
const INCOMPATIBLE = /^-- incompatible(?: before (\d{4}_[a-z0-9_]+))?: *(\S.*)$/m;

function readIncompatibility(name: string, text: string): Incompatibility | undefined {
  const match = INCOMPATIBLE.exec(text);
  return match === null ? undefined : { before: match[1] ?? name, reason: match[2] as string };
}

/** Only for files with `concurrently`, in which no text holds a semicolon (a CI gate checks that). */
function concurrentStatements(text: string): readonly string[] | undefined {
  const statements = text
    .replaceAll(/--.*/g, "")
    .split(";")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
  return statements.some((statement) => / index concurrently /i.test(statement)) ? statements : undefined;
}

/**
 * The directory `packages/<name>/migrations`. The compiler copies no SQL into dist/, so this path leads from
 * dist/packages/postgres/src back to the source tree.
 */
export function migrationsDirectory(packageName: string): string {
  return fileURLToPath(new URL(`../../../../packages/${packageName}/migrations/`, import.meta.url));
}

/** The file `packages/<name>/rights.sql`, next to that directory. */
export function rightsFileOf(packageName: string): string {
  return fileURLToPath(new URL(`../../../../packages/${packageName}/rights.sql`, import.meta.url));
}

const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;

/** All migrations in order. Throws on a name of another pattern, and on a number missing or used twice. */
export async function readMigrations(directory: string): Promise<MigrationFile[]> {
  const fileNames = (await readdir(directory)).sort();
  fileNames.forEach((fileName, index) => {
    const expected = String(index + 1).padStart(4, "0");
    if (FILE_NAME.exec(fileName)?.[1] !== expected) {
      throw new Error(`migration file ${fileName}: expected ${expected}_<lower_case_words>.sql here`);
    }
  });
  return Promise.all(
    fileNames.map(async (fileName) => {
      // A checkout with CRLF line ends has the same checksums.
      const text = (await readFile(`${directory}/${fileName}`, "utf8")).replaceAll("\r\n", "\n");
      const name = fileName.slice(0, -".sql".length);
      return {
        name,
        text,
        incompatible: readIncompatibility(name, text),
        concurrent: concurrentStatements(text),
        checksum: createHash("sha256").update(text).digest("hex"),
      };
    }),
  );
}
