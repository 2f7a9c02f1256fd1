import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { join } from "node:path";

/** Such as `file:///srv/stampede/dist/test/flow/wallet.test.js:12:34`, or the same relative to the checkout. */
const POSITION = /(?:file:\/\/)?(?:\/[^\s():'"]*\/)?dist\/([^\s():'"]+)\.js:(\d+):(\d+)/g;

/**
 * Translates the places in compiled files that a text names into places in the sources: `dist/a/b.js:12:34`
 * becomes `a/b.ts:10:5`. So the processes of a run need no source maps, which take longer to read than all
 * else at their start.
 * @param dist the folder of the compiled files
 */
export function inSources(text: string, dist: string): string {
  return text.replace(POSITION, (whole, path: string, line: string, column: string) => {
    const entry = mapOf(join(dist, `${path}.js.map`))?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !("originalSource" in entry)) return whole;
    const extension = entry.originalSource.endsWith(".tsx") ? "tsx" : "ts";
    return `${path}.${extension}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}

const maps = new Map<string, SourceMap | undefined>();

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) {
    maps.set(file, existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, "utf8"))) : undefined);
  }
  return maps.get(file);
}
