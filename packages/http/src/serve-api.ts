import { trustedProxies } from "#domain";
import { type CheckResult, explainListenError, type ServiceContext } from "#runtime";
import { API_HEADERS, type ApiOptions } from "./api.ts";
import { EndpointApi } from "./endpoint-api.ts";
import { NodeServer } from "./node-server.ts";
import { countRequests, describeRequest } from "./request-metrics.ts";
import { type AdapterName, type HttpServer, HttpServerError, type HttpServerOptions } from "./server.ts";
import { loadUws, type UwsModule, uwsInstallCommand } from "./uws-module.ts";
import { UwsServer } from "./uws-server.ts";

interface ServeApiOptions<Caller extends object>
  extends Omit<ApiOptions<Caller>, "observe" | "tracing" | "onFault"> {
  /** The API's, such as `member/get`. */
  readonly routes: readonly string[];
  readonly listen: {
    /** The API's name for people, such as "the publisher API". */
    readonly name: string;
    readonly host: string;
    readonly port: number;
    /** The setting of the port. */
    readonly portSetting: string;
  };
  /** Request headers that are read in addition to those of every API. */
  readonly headers?: readonly string[];
  /** The fields about the caller in a request's log line. */
  readonly describeCaller: (caller: Caller | undefined) => object;
}

/** An API that listens. */
interface ServedApi {
  readonly url: string;
  /** For the service's readiness. */
  check(): CheckResult;
  /** Accepts no more requests, and gives those under way this many milliseconds for their answers. */
  close(drainMs: number): Promise<void>;
}

/** Serves an API, with its metrics, its traces and a log line for each request. */
export async function serveApi<Caller extends object>(
  { metrics, log, tracing, settings }: ServiceContext,
  { routes, listen, headers = [], describeCaller, ...options }: ServeApiOptions<Caller>,
): Promise<ServedApi> {
  const onFault = (error: unknown, traceId: string) => log.error({ err: error, traceId }, "request failed");
  const api = new EndpointApi<Caller>({
    ...options,
    observe: (record) => {
      count(record);
      if (!log.isLevelEnabled("info")) return;
      log.info({ ...describeRequest(record), ...describeCaller(record.caller) }, "request");
    },
    tracing,
    onFault,
  });
  const server = createHttpServer({
    api,
    adapter: settings.httpAdapter,
    wantedHeaders: [...new Set([...API_HEADERS, ...headers])],
    onFault,
    proxies: trustedProxies(settings.trustedProxies),
    // No fault: the all-in-one and `stampede doctor` report it to people.
    onNotice: (notice) => log.info(notice),
  });
  const count = countRequests(metrics, routes, () => server.stats());
  const { name, host, portSetting } = listen;
  const port = await server.start({ host, port: listen.port }).catch((error) => {
    throw explainListenError(error, name, host, listen.port, portSetting);
  });
  return {
    // An IPv6 address is written in brackets.
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    check: () => ({ ok: true, detail: `${server.adapter} on ${host}:${port}` }),
    close: (drainMs) => server.close(drainMs),
  };
}

export interface CreateHttpServerOptions extends HttpServerOptions {
  /** "auto": uWebSockets.js if it has a binary for this Node, otherwise node:http. */
  readonly adapter: "auto" | AdapterName;
  /** Called once, with a sentence for the log, when "auto" has to fall back to node:http. */
  readonly onNotice: (sentence: string) => void;
  /** For tests: replaces the loading of uWebSockets.js. */
  readonly loadUws?: () => UwsModule;
}

/** Makes a server, not listening yet. Throws `HttpServerError` `uws_unavailable` for "uws" without binary. */
export function createHttpServer(options: CreateHttpServerOptions): HttpServer {
  const uws = options.adapter === "node" ? undefined : findUws(options);
  return uws === undefined ? new NodeServer(options) : new UwsServer(uws, options);
}

function findUws(options: CreateHttpServerOptions): UwsModule | undefined {
  try {
    return (options.loadUws ?? loadUws)();
  } catch (error) {
    const sentence = unavailable(error);
    if (options.adapter === "uws") throw new HttpServerError("uws_unavailable", sentence, error);
    options.onNotice(`${sentence} Until then node:http serves instead, more slowly.`);
    return undefined;
  }
}

function unavailable(error: unknown): string {
  const { versions, platform, arch } = process;
  const missing = (error as NodeJS.ErrnoException)?.code === "MODULE_NOT_FOUND";
  const reason = missing
    ? "is not installed"
    : `has no binary for Node ${versions.node} on ${platform}-${arch}`;
  return `uWebSockets.js ${reason}; "${uwsInstallCommand()}" installs a release of its author that has one.`;
}
