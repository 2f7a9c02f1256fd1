import { parse } from "yaml";
import { parseEnvironment, readDeployed } from "./deploy-folder.ts";

/** The parts of a service in compose.yaml that the tests read. */
export interface ComposeService {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: ReadonlyArray<string | { readonly source: string; readonly target: string }>;
  readonly volumes?: readonly string[];
  readonly networks: readonly string[];
  readonly profiles?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck: { readonly disable?: boolean; readonly test?: readonly string[] };
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly cap_add?: readonly string[];
  readonly privileged?: boolean;
  readonly security_opt: readonly string[];
  readonly stop_grace_period?: string;
  readonly ports?: readonly string[];
  readonly deploy: { readonly resources: { readonly limits: Readonly<Record<string, string | number>> } };
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
  readonly volumes: Readonly<Record<string, object>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

/** compose.yaml as Compose reads it: merge keys resolved, `${VARIABLE:-default}` from `env`. Two equal keys are an error. */
export function readCompose(env: Readonly<Record<string, string>> = {}): ComposeFile {
  const parsed = parse(readDeployed("compose/compose.yaml"), { merge: true, uniqueKeys: true });
  return interpolate(parsed, env) as ComposeFile;
}

/** The settings for three NATS servers. */
export function clusterEnvironment(): Record<string, string> {
  return parseEnvironment(readDeployed("compose/cluster.env"));
}

function interpolate(value: unknown, env: Readonly<Record<string, string>>): unknown {
  if (typeof value === "string") return interpolateText(value, env);
  if (Array.isArray(value)) return value.map((item) => interpolate(item, env));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, interpolate(item, env)]));
}

function interpolateText(text: string, env: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$(\$|\{(\w+)(?::-([^}]*))?\}|\w+)/g, (all, one, name, fallback) => {
    if (one === "$") return "$";
    if (name === undefined) throw new Error(`${all}: write it as \${…:-default}`);
    const found = env[name] ?? fallback;
    if (found === undefined) throw new Error(`${all} has no default`);
    return found;
  });
}
