import { posix } from "node:path";

/** What ties a file to one machine or one network, and what it is called in a finding. */
const TIES: ReadonlyArray<readonly [what: string, pattern: RegExp]> = [
  ["a path of a developer's machine", /(?<![\w.~-])\/(?:home|Users)\/[\w.-]+/],
  ["a path of a developer's machine", /(?<![\w.~/-])\/(?:root|work|workspaces?)\/\w/],
  ["a path of a developer's machine", /\b[A-Za-z]:\\+Users\\/],
  ["a package registry's host", /\b(?:registry|npm)\.(?:npmjs|yarnpkg|npmmirror|pkg\.github)\.\w+/],
  [
    "a package registry's host",
    /:\/\/[^\s"'/]*(?:registry|artifactory|nexus|verdaccio|codeartifact)[^\s"'/]*\.\w/i,
  ],
];

/**
 * Each line of a text that holds such a tie: `<path>:<line>: holds …`. The value itself is not repeated.
 * @param registry the host that npm installs from here, which no pattern can know
 */
export function textProblems(path: string, text: string, registry?: string): string[] {
  const found = (line: string): string[] => [
    ...TIES.filter(([, pattern]) => pattern.test(line)).map(([what]) => what),
    ...(registry !== undefined && line.includes(registry) ? ["the host that npm installs from here"] : []),
  ];
  return text
    .split("\n")
    .flatMap((line, index) => found(line).map((what) => `${path}:${index + 1}: holds ${what}`));
}

/** The registry's host as npm tells it to the scripts that it runs; undefined for none, and for this machine itself. */
export function registryHost(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const registry = env.npm_config_registry;
  if (registry === undefined || !URL.canParse(registry)) return undefined;
  const { hostname } = new URL(registry);
  return hostname.includes(".") && !/^127\.|^0\./.test(hostname) ? hostname : undefined;
}

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

/** Names that say nothing about what is inside, alone or at the end of another. */
const NAMELESS = /(^|[-_.])(utils?|helpers?|common|lib|misc)$/i;

/** Files and folders that are named for nothing. */
export function nameProblems(paths: Iterable<string>): string[] {
  return [...paths].flatMap((path) => {
    const { dir, name } = posix.parse(path);
    const nameless = [...dir.split("/"), name].find((part) => NAMELESS.test(part));
    if (nameless === undefined) return [];
    return [`${path}: "${nameless}" says nothing; name it for the one thing it defines`];
  });
}
