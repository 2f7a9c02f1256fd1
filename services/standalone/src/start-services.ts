import { join } from "node:path";
import { SERVICE_NAMES } from "#contract";
import { freePort } from "#embedded";
import { declaredSettings } from "#runtime";
import { type Asked, httpUrl } from "./ops.ts";
import type { Servers, StartParts } from "./provide-servers.ts";
import { provideEncryptionKeys } from "./secrets.ts";
import { isServiceFault, type ServiceChild, startServiceChild } from "./service-child.ts";
import { step } from "./step.ts";
import type { Supervised } from "./supervised.ts";

export interface StartedServices {
  readonly publisherUrl: string;
  readonly platformUrl: string;
  /** What the services were given. */
  readonly env: NodeJS.ProcessEnv;
  /** How each service is asked for its health and metrics. */
  readonly asked: ReadonlyMap<string, Asked>;
}

/** A receiver of webhooks that is being developed runs beside it (contract, section 10); the environment goes first. */
const OPEN_TO_THIS_MACHINE = {
  STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback",
  STAMPEDE_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8,::1/128",
};

/** A secret that came from a file is handed on itself: both is an error, and a pipe can be read once only. */
const WITHOUT_FILES = Object.fromEntries(
  declaredSettings().flatMap(({ key, secret }) => (secret ? [[`${key}_FILE`, undefined]] : [])),
);

/** Starts all services at once, each a child process, against these servers. */
export async function startServices(options: StartParts, servers: Servers): Promise<StartedServices> {
  const { dataDir, children, say, settings } = options;
  // A port of a service's own choice would be another one after a crash, so "any" is chosen here.
  const httpPort = settings.httpPort || (await freePort());
  const platformPort = settings.platformPort || (await freePort());
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
    // Waited for once, by the process that ends them.
    STAMPEDE_DRAIN_DELAY_MS: "0",
  };
  const asked = new Map<string, Asked>();
  const supervised = SERVICE_NAMES.map((name) => {
    const logFile = join(dataDir, "logs", `${name}.log`);
    const recordFile = join(dataDir, `${name}.process.json`);
    const child = children.add<ServiceChild>(name, {
      logFile,
      start: (signal, begun) => startServiceChild({ name, env, logFile, recordFile, say, signal, begun }),
      isOwnFault: isServiceFault,
    });
    asked.set(name, askCurrent(child));
    return child;
  });
  await step(options, "services", () => startTogether(supervised), describe);
  return {
    publisherUrl: httpUrl(settings.httpHost, httpPort),
    platformUrl: httpUrl(settings.platformHost, platformPort),
    env,
    asked,
  };
}

/** All have started or ended when this returns: one that failed must not leave the others half started. */
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
