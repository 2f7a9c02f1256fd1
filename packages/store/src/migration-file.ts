import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

export interface MigrationFile {
  /** The file's name without `.sql`; the number in front makes name order the order of application. */
  readonly name: string;
  readonly text: string;
  /** SHA-256 of the text, lowercase hex. */
  readonly checksum: string;
}

/**
 * The directory `packages/<name>/migrations`. The compiler copies no SQL into dist/, so this leads from
 * dist/packages/store/src back to the source tree.
 */
export function migrationsDirectory(packageName: string): string {
  return fileURLToPath(new URL(`../../../../packages/${packageName}/migrations/`, import.meta.url));
}

const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;

/** All migrations in order. Throws on a name out of pattern and on a number that is missing or used twice. */
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
      // A checkout with CRLF line ends holds the same migration.
      const text = (await readFile(`${directory}/${fileName}`, "utf8")).replaceAll("\r\n", "\n");
      return {
        name: fileName.slice(0, -".sql".length),
        text,
        checksum: createHash("sha256").update(text).digest("hex"),
      };
    }),
  );
}
