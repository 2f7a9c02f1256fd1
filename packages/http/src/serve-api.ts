import { type CheckResult, explainListenError, type ServiceContext } from "#runtime";
import { API_HEADERS, type ApiOptions, EndpointApi } from "./api.ts";
import { createHttpServer, httpOrigin } from "./create-server.ts";
import { createRequestMetrics, describeRequest } from "./request-metrics.ts";

export interface ServeApiOptions<Caller extends object>
  extends Omit<ApiOptions<Caller>, "observe" | "tracing" | "onFault"> {
  /** Of the API, such as `member/get`. */
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
export interface ServedApi {
  readonly url: string;
  /** For the service's readiness. */
  check(): CheckResult;
  /** Takes no more requests, and gives those under way so many milliseconds for their answers. */
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
      requests.request(record);
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
    onNotice: (notice) => log.warn(notice),
  });
  const requests = createRequestMetrics(metrics, routes, () => server.stats());
  const { name, host, portSetting } = listen;
  const port = await server.start({ host, port: listen.port }).catch((error) => {
    throw explainListenError(error, name, host, listen.port, portSetting);
  });
  return {
    url: httpOrigin(host, port),
    check: () => ({ ok: true, detail: `${server.adapter} on ${host}:${port}` }),
    close: (drainMs) => server.close(drainMs),
  };
}
