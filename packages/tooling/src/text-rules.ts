import { posix } from "node:path";

/** Texts that tie a file to one machine or one network, with their names in findings. */
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
 * Each line of a text with such a tie: `<path>:<line>: holds …`. The value itself is not repeated.
 * @param registry the host from which npm installs here, which no pattern can know
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

/**
 * The registry's host, which npm passes to the scripts that it runs; undefined for none, and for this machine
 * itself.
 */
export function registryHost(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const registry = env.npm_config_registry;
  if (registry === undefined || !URL.canParse(registry)) return undefined;
  const { hostname } = new URL(registry);
  return hostname.includes(".") && !/^127\.|^0\./.test(hostname) ? hostname : undefined;
}

/** Names that say nothing about the contents, alone or at the end of another. */
const NAMELESS = /(^|[-_.])(utils?|helpers?|common|lib|misc)$/i;

/** Files and folders with such names. */
export function nameProblems(paths: Iterable<string>): string[] {
  return [...paths].flatMap((path) => {
    const { dir, name } = posix.parse(path);
    const nameless = [...dir.split("/"), name].find((part) => NAMELESS.test(part));
    if (nameless === undefined) return [];
    return [`${path}: "${nameless}" says nothing; name it for the one thing it defines`];
  });
}

/** Where a socket may be reset without a check. */
const RESETS: Readonly<Record<string, string>> = {
  "test/support/reset-socket.ts": "it looks first",
  "test/support/run-file.test.ts": "its process is not to end",
  "test/faults/neighbours/door-attacks.ts":
    "none of its sockets is ended, and an attacker loads no test support",
};

/** Sources that reset a socket by themselves: a process that resets a socket after `end` never ends. */
export function resetProblems(sources: ReadonlyMap<string, string>): string[] {
  const found = [...sources].filter(([path, text]) => /\bresetAndDestroy\(/.test(text) && !(path in RESETS));
  return found.map(([path]) => `${path}: resets a socket by itself; call resetSocket of #test-support`);
}
