import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { hasComputedImport, type ImportStatement, importedNames, parseImports } from "./parse-imports.ts";
import { isTest, readSourceTree, type SourceTree } from "./tracked-files.ts";

const EVERY_SERVICE = ["#nats", "#postgres", "#runtime", "#contract", "#domain"];

/** Imports go one way (docs/ARCHITECTURE.md): which other packages the sources of each package may import. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "packages/domain": [],
  "packages/contract": ["#domain"],
  "packages/runtime": ["#contract", "#domain"],
  "packages/embedded": ["#runtime"],
  "packages/nats": ["#runtime", "#contract", "#domain"],
  "packages/postgres": ["#runtime", "#contract", "#domain"],
  "packages/publisher-db": ["#postgres", "#runtime", "#contract", "#domain"],
  "packages/platform-db": ["#postgres", "#runtime", "#contract", "#domain"],
  "packages/http": ["#runtime", "#contract", "#domain"],
  "packages/client": ["#contract", "#domain"],
  "packages/status": ["#contract"],
  // The same as an integrator has, and no more.
  examples: ["#client"],
  "services/edge": [...EVERY_SERVICE, "#http", "#publisher-db"],
  "services/ingest": [...EVERY_SERVICE, "#publisher-db"],
  "services/rewards": [...EVERY_SERVICE, "#publisher-db"],
  "services/webhooks": [...EVERY_SERVICE, "#publisher-db"],
  "services/console": [...EVERY_SERVICE, "#http", "#publisher-db", "#status"],
  // Another trust domain: it must not know the publisher's tables.
  "services/platform": [...EVERY_SERVICE, "#http", "#platform-db"],
  // Makes the servers and both databases ready for the others, which it starts.
  "services/standalone": [
    "#embedded",
    "#http",
    "#postgres",
    "#publisher-db",
    "#platform-db",
    "#runtime",
    "#contract",
    "#domain",
  ],
};
/** Not packages of the product: `takesNoTestCode` says which files may import them. */
const FOR_TESTS = ["#test-support", "#test-world"];

/** They may import every package below them. */
const ABOVE_THE_PACKAGES = ["packages/cli", "packages/tooling"];

/**
 * One package for each of these libraries; if the flag is set, tests and benchmarks may look at a server
 * without it.
 */
const ONLY_IN: ReadonlyArray<readonly [library: RegExp, home: string, observers: boolean]> = [
  [/^@nats-io\//, "packages/nats", true],
  [/^postgres$/, "packages/postgres", true],
  [/^pino$/, "packages/runtime", false],
  [/^prom-client$/, "packages/runtime", false],
  // A test's collector is checked by the data that arrives there.
  [/^@opentelemetry\//, "packages/runtime", false],
  [/^uWebSockets\.js$/, "packages/http", false],
];

/** Where an HTTP server may be made; tests and benchmarks may as well. */
const HTTP_SERVER_HOMES = ["packages/http", "packages/runtime"];
/** Plays the API in the tests of integrators, so it contains nothing of the service. */
const FAKE_SERVER_HOME = "packages/client/src/testing/";

/**
 * Imports a program that only its argument names: a service, which it runs as this process and from which it
 * takes nothing.
 */
const STARTS_SERVICES = "packages/cli/src/service-commands.ts";

/** The rules by which the platform decides: another trust domain's, and as pure as `packages/domain`. */
const PLATFORM_RULES = "services/platform/src/rules/";
/** The domain is pure: of Node it takes only hashes and checksums, and of libraries only calculations. */
const DOMAIN_MAY_TAKE: Readonly<Record<string, readonly string[]>> = {
  "node:crypto": ["hash", "createHmac"],
  "node:zlib": ["crc32"],
  // Addresses and ranges. It is one CommonJS object, so it can only be taken whole.
  "ipaddr.js": ["*"],
};

/** The source behind each `#` name, from the root: `{"#domain": "packages/domain/src/index.ts"}`. */
type Entries = Readonly<Record<string, string>>;

/** The data by which an import is judged. */
interface Import extends ImportStatement {
  readonly file: string;
  readonly unit: string;
  /** A test or a benchmark: above everything, so that most rules do not apply to it. */
  readonly isObserver: boolean;
}

/** The import rules over the checkout at `root`. */
export function checkImports(root: string): string[] {
  return importProblems(readSourceTree(root), readEntries(root));
}

/** The meanings of the `#` names, from package.json. */
export function readEntries(root: string): Entries {
  const { imports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    imports: Record<string, { types: string }>;
  };
  return Object.fromEntries(
    Object.entries(imports).map(([name, { types }]) => [name, types.replace(/^\.\//, "")]),
  );
}

/** The violations of the rules in a tree, one line each: `<file>: <the violation, and the remedy>`. */
export function importProblems(tree: SourceTree, entries: Entries): string[] {
  const problems: string[] = [];
  for (const [file, source] of tree) {
    const context = { file, unit: unitOf(file), isObserver: isObserver(file) };
    const imports = parseImports(source).map((statement) => ({ ...context, ...statement }));
    for (const one of imports) {
      const problem = breachOf(one, entries);
      if (problem !== undefined) problems.push(`${file}: ${problem}`);
    }
    if (!context.isObserver && file !== STARTS_SERVICES && hasComputedImport(source)) {
      problems.push(`${file}: imports what is only known when it runs; name it`);
    }
  }
  return problems;
}

/**
 * `packages/postgres`, `services/edge`, `test/support`: a unit that is entered from outside through one entry
 * only.
 */
function unitOf(file: string): string {
  // The benchmark and the peers that it measures are one program.
  if (file.startsWith("bench/")) return "bench";
  if (file.startsWith("examples/")) return "examples";
  return file.split("/").slice(0, 2).join("/");
}

function isObserver(file: string): boolean {
  return isTest(file) || file.startsWith("bench/");
}

function targetOf({ file, specifier }: Import, entries: Entries): string | undefined {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(file), specifier);
  return entries[specifier];
}

/** Runs in browsers, where nothing of Node and of the services exists. */
const PAGE = "services/console/page/";
const PAGE_LIBRARIES: ReadonlySet<string> = new Set(["preact", "preact/hooks", "uplot"]);
/** Types alone: nothing of them remains at run time. */
const PAGE_TYPES: ReadonlySet<string> = new Set(["#client/types", "#contract"]);
/** And types of the process that it asks. */
const CONSOLE_PROCESS = "services/console/src/";

const RULES: ReadonlyArray<(one: Import, entries: Entries) => string | undefined> = [
  keepsThePageForBrowsers,
  staysInside,
  comesThroughTheDoor,
  goesOneWay,
  takesNoTestCode,
  usesTheOneDoorToALibrary,
  keepsTheDomainPure,
  leavesHttpToItsPackage,
];

/** Reports only the first rule that an import breaks: further violations are consequences of it. */
function breachOf(one: Import, entries: Entries): string | undefined {
  for (const rule of RULES) {
    const breach = rule(one, entries);
    if (breach !== undefined) return breach;
  }
  return undefined;
}

function keepsThePageForBrowsers({ file, specifier, clause, isObserver }: Import): string | undefined {
  const isPage = file.startsWith(PAGE);
  const isRelative = specifier.startsWith(".");
  const path = isRelative ? posix.join(posix.dirname(file), specifier) : specifier;
  const leadsToPage = path.startsWith(PAGE);
  if (!isPage)
    return leadsToPage && !isObserver ? `imports ${specifier}: the page runs in browsers` : undefined;
  if (isObserver || leadsToPage || PAGE_LIBRARIES.has(specifier)) return undefined;
  const hasItsTypes = PAGE_TYPES.has(specifier) || path.startsWith(CONSOLE_PROCESS);
  if (hasItsTypes && clause.startsWith("type ")) return undefined;
  const types = [...PAGE_TYPES, "its process"].join(", ");
  return `imports ${specifier}: the page may import itself, its libraries, and types of ${types}`;
}

function staysInside({ file, unit, specifier, isObserver }: Import, entries: Entries): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  const path = posix.join(posix.dirname(file), specifier);
  // Longer cycles are Biome's business: see `noImportCycles` in biome.json.
  if (path === file) return "imports itself";
  const target = unitOf(path);
  if (target === unit) return undefined;
  // A test prepares its data by the statements of any service that writes them.
  if (isObserver && target.startsWith("services/")) return undefined;
  if (target.startsWith("services/")) {
    return `imports ${specifier}: no service is imported, it is started as a process`;
  }
  const door = doorOf(target, entries);
  return `reaches into ${target} with ${specifier}${door === undefined ? "" : `: import ${door}`}`;
}

function comesThroughTheDoor({ unit, specifier }: Import, entries: Entries): string | undefined {
  if (!specifier.startsWith("#")) return undefined;
  const entry = entries[specifier];
  if (entry === undefined) return `imports ${specifier}, which package.json does not have`;
  return unitOf(entry) === unit ? `imports its own ${specifier}: use the relative path` : undefined;
}

function goesOneWay({ file, unit, specifier, isObserver }: Import): string | undefined {
  if (isObserver || ABOVE_THE_PACKAGES.includes(unit) || file.startsWith(PAGE)) return undefined;
  if (!specifier.startsWith("#") || FOR_TESTS.includes(specifier)) return undefined;
  const allowed = MAY_IMPORT[unit];
  if (allowed === undefined) return `imports ${specifier}, but ${unit} has no place among the layers yet`;
  // A package may have a second entry, for code that needs little of it.
  if (allowed.includes(specifier.replace(/\/.*$/, ""))) return undefined;
  return `imports ${specifier}: ${unit} may import ${allowed.join(", ") || "no other package"}`;
}

function takesNoTestCode(one: Import, entries: Entries): string | undefined {
  if (one.isObserver) return undefined;
  const target = targetOf(one, entries);
  return target !== undefined && isTest(target) ? `imports ${one.specifier}, which is for tests` : undefined;
}

function usesTheOneDoorToALibrary({ unit, specifier, isObserver }: Import): string | undefined {
  const [, home, observers = false] = ONLY_IN.find(([library]) => library.test(specifier)) ?? [];
  if (home === undefined || unit === home || (isObserver && observers)) return undefined;
  return `imports ${specifier}: only ${home} does`;
}

function keepsTheDomainPure({ file, unit, specifier, clause, isObserver }: Import): string | undefined {
  const isRule = file.startsWith(PLATFORM_RULES);
  if ((unit !== "packages/domain" && !isRule) || isObserver) return undefined;
  if (/^[.#]/.test(specifier)) {
    const isPure = !isRule || /^(\.\/|#domain(\/|$))/.test(specifier);
    return isPure ? undefined : `imports ${specifier}: the platform's rules are as pure as the domain`;
  }
  const allowed = DOMAIN_MAY_TAKE[specifier] ?? [];
  const alien = importedNames(clause).filter((name) => !allowed.includes(name));
  if (allowed.length > 0 && clause !== "" && alien.length === 0) return undefined;
  return `takes ${alien.join(", ") || "all"} from ${specifier}: the domain is pure`;
}

function leavesHttpToItsPackage(one: Import): string | undefined {
  const { file, unit, specifier, clause, isObserver } = one;
  const isHome = HTTP_SERVER_HOMES.includes(unit) || file.startsWith(FAKE_SERVER_HOME) || unit === "examples";
  if (isObserver || isHome || !/^(node:)?(http|https|http2)$/.test(specifier)) return undefined;
  const names = importedNames(clause);
  const canServe = clause === "" || names.some((name) => /^(\*|Server|create(Secure)?Server)$/.test(name));
  return canServe
    ? `can make a server of ${specifier}: only ${HTTP_SERVER_HOMES.join(" and ")} do`
    : undefined;
}

function doorOf(unit: string, entries: Entries): string | undefined {
  return Object.keys(entries).find((name) => unitOf(entries[name] as string) === unit);
}
