/** pino's own numbers; the logs carry names (`createLog` in `packages/runtime`). */
const NUMBER = "(?:10|20|30|40|50|60)";
const NUMERIC_LEVEL = new RegExp(
  [
    // "level":40, level>=50, level 30
    `\\blevels?\\W{0,6}${NUMBER}\\b(?! ?%)`,
    // `50` are errors, 40 means warnings
    `\`${NUMBER}\`(?: \\w+)? (?:errors?|warnings?|fatal)\\b`,
    // warnings are `40`, errors (50)
    `\\b(?:errors?|warnings?|fatal)\\b(?: \\w+)? [\`(]+${NUMBER}[\`)]`,
  ].join("|"),
  "i",
);

/**
 * Each line that names the level of a log line by a number: `<path>:<line>: …`. Who searches the logs for it finds
 * nothing, and is reassured.
 */
export function logLevelProblems(path: string, text: string): string[] {
  return text
    .split("\n")
    .flatMap((line, index) =>
      NUMERIC_LEVEL.test(line)
        ? [`${path}:${index + 1}: names a log level by a number; the logs say "level":"error"`]
        : [],
    );
}
