import { type CheckResult, explainListenError, type ServiceContext } from "#runtime";
import { API_HEADERS, type ApiOptions, EndpointApi } from "./api.ts";
import { createHttpServer, httpOrigin } from "./create-server.ts";
import { createRequestMetrics, describeRequest } from "./request-metrics.ts";

export interface ServeApiOptions<Caller extends object>
  extends Omit<ApiOptions<Caller>, "observe" | "tracing" | "onFault"> {
  /** Of the API, such as `member/get`. */
  readonly routes: readonly string[];
  readonly listen: {
    /** What it is to people, as in "the publisher API". */
    readonly name: string;
    readonly host: string;
    readonly port: number;
    /** Where the port was set. */
    readonly portSetting: string;
  };
  /** Request headers that are read beside those of every API. */
  readonly headers?: readonly string[];
  /** Who called, as a line of the log tells it. */
  readonly describeCaller: (caller: Caller | undefined) => object;
}

/** An API that listens. */
export interface ServedApi {
  readonly url: string;
  /** For the health of the service. */
  check(): CheckResult;
  /** Takes no more requests, and leaves those under way so long for their answers. */
  close(drainMs: number): Promise<void>;
}

/** Serves an API with its metrics, its traces and a line of the log for each request. */
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
