import { CommandError } from "../command-error.ts";
import { FIELDS, type ImportMap } from "./import-map.ts";

/**
 * Holds the columns of a file to its map, before any row is read.
 * @param file its name, for messages
 * @throws CommandError for a column that the map names and the file does not have, for one that it has twice, and for
 * one that nobody asked for where no map says what to read
 */
export function checkColumns(file: string, found: readonly string[], map: ImportMap): void {
  const has = new Set(found);
  const [only = ""] = found;
  if (found.length === 1 && /[;,|\t]/.test(only)) {
    throw new CommandError(
      `${file}: its header is one column, "${only}": say by csv.delimiter of the map what is between`,
    );
  }
  const repeated = new Set(found.filter((column, i) => found.indexOf(column) !== i));
  if (map.columns === undefined) {
    const unknown = found.find((column) => !(FIELDS as readonly string[]).includes(column));
    if (unknown !== undefined) {
      throw new CommandError(
        `${file}: column "${unknown}" is no field of an event: say by --map what to read (fields: ${FIELDS.join(", ")})`,
      );
    }
    for (const column of repeated) throw new CommandError(`${file}: column "${column}" is there twice`);
    return;
  }
  for (const [field, columns] of map.columns) {
    for (const column of columns) {
      const place = map.placeOf(column) ?? "the map";
      if (!has.has(column)) {
        throw new CommandError(
          `${place}: columns.${field} names "${column}", which ${file} has not: ${list(found)}`,
        );
      }
      if (repeated.has(column)) throw new CommandError(`${place}: ${file} has column "${column}" twice`);
    }
  }
}

const SHOWN = 30;

function list(found: readonly string[]): string {
  const shown = found.slice(0, SHOWN).map((column) => `"${column}"`);
  return `its columns are ${shown.join(", ")}${found.length > SHOWN ? ", …" : ""}`;
}
