import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SERVICE_NAMES } from "#contract";
import { freePort } from "#embedded";
import { declaredSettings, type Settings } from "#runtime";
import { type Asked, httpUrl } from "./ops.ts";
import type { Servers, StartParts } from "./provide-servers.ts";
import { type FirstTokenResult, type FirstTokens, provideEncryptionKeys } from "./secrets.ts";
import { isServiceFault, type ServiceChild, startServiceChild } from "./service-child.ts";
import { step } from "./step.ts";
import type { Supervised } from "./supervised.ts";

interface StartedServices {
  readonly publisherUrl: string;
  readonly platformUrl: string;
  /** With a slash at its end. */
  readonly consoleUrl: string;
  /** The environment that the services were given. */
  readonly env: NodeJS.ProcessEnv;
  /** How to ask each service for its health and metrics. */
  readonly asked: ReadonlyMap<string, Asked>;
}

/**
 * A webhook receiver that is being developed runs on the same machine (contract, section 10). The environment
 * overrides these.
 */
const OPEN_TO_THIS_MACHINE = {
  STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback",
  STAMPEDE_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8,::1/128",
};

/**
 * A secret that came from a file is passed on as its value, without the file's path: having both is an error,
 * and a pipe can be read only once.
 */
const WITHOUT_FILES = Object.fromEntries(
  declaredSettings().flatMap(({ key, secret }) => (secret ? [[`${key}_FILE`, undefined]] : [])),
);

/** Starts all services at once, each a child process, against these servers. */
export async function startServices(
  options: StartParts & { readonly opsUrl: string; readonly tokens: FirstTokens },
  servers: Servers,
): Promise<StartedServices> {
  const { dataDir, children, say, settings } = options;
  // A port that a service chose by itself would be another one after a crash, so for 0 a free port is chosen
  // here.
  const httpPort = settings.httpPort || (await freePort());
  const platformPort = settings.platformPort || (await freePort());
  const consolePort = settings.consolePort || (await freePort());
  const publisherUrl = httpUrl(settings.httpHost, httpPort);
  const platformUrl = httpUrl(settings.platformHost, platformPort);
  const consoleUrl = httpUrl(settings.consoleHost, consolePort) + settings.consoleBasePath;
  const env: NodeJS.ProcessEnv = {
    ...OPEN_TO_THIS_MACHINE,
    ...process.env,
    DATABASE_URL: servers.databaseUrl,
    NATS_URL: servers.natsUrl,
    ...(servers.natsMonitorUrl !== undefined && { STAMPEDE_NATS_MONITOR_URL: servers.natsMonitorUrl }),
    STAMPEDE_ENCRYPTION_KEYS: provideEncryptionKeys(settings, dataDir),
    STAMPEDE_PLATFORM_DATABASE_URL: settings.platformDatabaseUrl,
    ...WITHOUT_FILES,
    STAMPEDE_HTTP_PORT: String(httpPort),
    STAMPEDE_PLATFORM_PORT: String(platformPort),
    STAMPEDE_CONSOLE_PORT: String(consolePort),
    STAMPEDE_CONSOLE_URL: settings.consoleUrl ?? consoleUrl,
    // The process that ends them waits once for all.
    STAMPEDE_DRAIN_DELAY_MS: "0",
  };
  const consoleEnv = {
    ...env,
    STAMPEDE_CONSOLE_PUBLISHER_URL: publisherUrl,
    STAMPEDE_CONSOLE_PLATFORM_URL: platformUrl,
    ...consoleAccess(options, servers),
  };
  const asked = new Map<string, Asked>();
  const supervised = SERVICE_NAMES.map((name) => {
    const logFile = join(dataDir, "logs", `${name}.log`);
    const recordFile = join(dataDir, `${name}.process.json`);
    const child = children.add<ServiceChild>(name, {
      logFile,
      start: (signal, begun) =>
        startServiceChild({
          name,
          env: name === "console" ? consoleEnv : env,
          logFile,
          recordFile,
          say,
          signal,
          begun,
        }),
      isOwnFault: isServiceFault,
    });
    asked.set(name, askCurrent(child));
    return child;
  });
  await step(options, "services", () => startTogether(supervised), describe);
  return { publisherUrl, platformUrl, consoleUrl, env: consoleEnv, asked };
}

/**
 * What the console is let into: the tokens that the start keeps, the operations endpoints of all, and dead letters, unless the
 * environment says otherwise.
 */
function consoleAccess(
  { settings, opsUrl, tokens }: { settings: Settings; opsUrl: string; tokens: FirstTokens },
  { natsUrl }: Servers,
): NodeJS.ProcessEnv {
  const {
    consoleTokens = readToken(tokens.publisher),
    consolePlatformToken = readToken(tokens.platform)[0],
  } = settings;
  return {
    STAMPEDE_CONSOLE_TOKENS: consoleTokens.join(","),
    STAMPEDE_CONSOLE_PLATFORM_TOKEN: consolePlatformToken,
    STAMPEDE_CONSOLE_OPS_URLS:
      settings.consoleOpsUrls.length > 0 ? settings.consoleOpsUrls.join(",") : opsUrl,
    STAMPEDE_CONSOLE_OPERATOR_NATS_URL: settings.consoleOperatorNatsUrl ?? natsUrl,
  };
}

/** None where it was made elsewhere. */
function readToken({ known, file }: FirstTokenResult): readonly string[] {
  return known ? [readFileSync(file, "utf8").trim()] : [];
}

/** Returns when all of them have started or ended: if one fails, no other may be left half started. */
async function startTogether(services: ReadonlyArray<Supervised<ServiceChild>>): Promise<ServiceChild[]> {
  const starts = await Promise.allSettled(services.map((service) => service.start()));
  return starts.map((start) => {
    if (start.status === "rejected") throw start.reason;
    return start.value;
  });
}

const describe = (services: readonly ServiceChild[]): string =>
  SERVICE_NAMES.map((name, index) => `${name} (process ${services[index]?.pid})`).join(", ");

function askCurrent(child: Supervised<ServiceChild>): Asked {
  return async (path) => {
    if (child.current === undefined) throw new Error("not running, it is being started again");
    return child.current.ask(path);
  };
}
