import {
  createServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  request,
  type Server,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { Test } from "tap";
import { type ConsoleRole, makeConsoleLink } from "#publisher-db";
import {
  createLog,
  createRegistry,
  Health,
  MetricFactory,
  Progress,
  readSettings,
  type ServiceContext,
  Waiting,
} from "#runtime";
import { type Pipeline, type Publisher, type ServiceProcess, startPipeline } from "#test-support";
import { startConsole } from "./service.ts";

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into any answer
  readonly body: any;
}

/** Sends one request, with these headers and no others. */
export function send(
  url: string,
  method: string,
  headers: Readonly<Record<string, string | readonly string[]>>,
  body = "",
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      // A new connection: the server may have closed an idle one while the test's process stood still.
      { method, headers: headers as OutgoingHttpHeaders, setHost: !("host" in headers), agent: false },
      (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece));
        response.on("end", () => {
          const text = Buffer.concat(pieces).toString("utf8");
          const isJson = response.headers["content-type"]?.startsWith("application/json") === true;
          const parsed = isJson && text !== "" ? JSON.parse(text) : undefined;
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parsed });
        });
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

export interface Asking {
  readonly reason?: string;
  /** `org_…` */
  readonly organisation?: string;
  /** Added to the page's headers, or replacing them; undefined leaves one out, and several values are several fields. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** A browser on the console's page, for the API. */
export class Visitor {
  /** With a slash at its end. */
  readonly url: string;
  cookie: string | undefined;

  constructor(url: string, cookie?: string) {
    this.url = url;
    this.cookie = cookie;
  }

  async post(route: string, body: object | string = {}, asking: Asking = {}): Promise<Answer> {
    const all: Record<string, string | readonly string[] | undefined> = {
      "content-type": "application/json",
      "stampede-console": "1",
      origin: new URL(this.url).origin,
      cookie: this.cookie,
      "stampede-console-reason": asking.reason && encodeURIComponent(asking.reason),
      "stampede-console-organisation": asking.organisation,
      ...asking.headers,
    };
    const headers = Object.fromEntries(
      Object.entries(all).filter((header): header is [string, string] => header[1] !== undefined),
    );
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return send(`${this.url}api/${route}`, "POST", headers, text);
  }

  /** Follows a link: the cookie that it gives is sent from then on. */
  async follow(link: string): Promise<Answer> {
    const answer = await this.post("session/open", { link: link.split("#link=")[1] ?? link });
    const [cookie] = answer.headers["set-cookie"] ?? [];
    if (cookie !== undefined) this.cookie = cookie.split(";")[0];
    return answer;
  }
}

/** A console in the test's process: a process of its own takes ten times as long to start. */
interface Console {
  /** With a slash at its end. */
  readonly url: string;
  /** Its log: warnings and faults. */
  output(): string;
  /** Called at the end of the test, unless the test does. */
  stop(): Promise<void>;
}

/** A console on a new database, with the publisher's API behind it. */
interface ConsoleScene {
  readonly pipeline: Pipeline;
  readonly publisher: Publisher;
  readonly url: string;
  /** Starts another console, with other settings. */
  start(env: NodeJS.ProcessEnv): Promise<Console>;
  /** Starts another console, as a process. */
  fork(env: NodeJS.ProcessEnv): Promise<ServiceProcess>;
  /** A user who signed in by a link. */
  visitor(role: ConsoleRole, organisationId?: string): Promise<Visitor>;
}

async function startHere(env: NodeJS.ProcessEnv): Promise<Console> {
  let output = "";
  const write = (line: string): void => {
    output += line;
  };
  const registry = createRegistry("console", "0");
  const { url = "", stop } = await startConsole({
    settings: readSettings(env),
    log: createLog({ service: "console", level: "warn", destination: { write } }),
    health: new Health(),
    progress: new Progress(),
    registry,
    metrics: new MetricFactory(registry),
    waiting: new Waiting(new AbortController().signal, () => {}),
  } satisfies ServiceContext);
  let stopped: Promise<void> | undefined;
  return {
    url,
    output: () => output,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** For tests that call no API: no edge is started. */
export const NO_API = { STAMPEDE_CONSOLE_PUBLISHER_URL: "http://127.0.0.1:1" };

/**
 * Without ingest: a test that needs it starts it. The edge is there unless the settings name another API.
 * @param env settings of the console, beside its tokens and the publisher's address
 */
export async function openConsole(
  t: Pick<Test, "teardown">,
  env: NodeJS.ProcessEnv | ((pipeline: Pipeline) => NodeJS.ProcessEnv) = {},
  tokens: (pipeline: Pipeline) => Promise<readonly string[]> = async ({ publisher }) => [publisher.token],
): Promise<ConsoleScene> {
  const pipeline = await startPipeline({ begin: [] });
  t.teardown(() => pipeline.stop());
  const own = typeof env === "function" ? env(pipeline) : env;
  const edge = "STAMPEDE_CONSOLE_PUBLISHER_URL" in own ? undefined : await pipeline.start("edge");
  const given = (await tokens(pipeline)).join(",");
  const settings = (more: NodeJS.ProcessEnv) => ({
    STAMPEDE_CONSOLE_TOKENS: given,
    ...(edge === undefined ? NO_API : { STAMPEDE_CONSOLE_PUBLISHER_URL: edge.url }),
    ...more,
  });
  const start = async (more: NodeJS.ProcessEnv) => {
    const started = await startHere({
      DATABASE_URL: pipeline.databaseUrl,
      NATS_URL: pipeline.natsUrl,
      STAMPEDE_STREAM_PREFIX: pipeline.streamPrefix,
      STAMPEDE_CONSOLE_PORT: "0",
      ...settings(more),
    });
    t.teardown(() => started.stop());
    return started;
  };
  const { url } = await start(own);
  return {
    pipeline,
    publisher: pipeline.publisher,
    url,
    start,
    fork: (more) => pipeline.start("console", settings(more)),
    visitor: async (role, organisationId) => {
      const visitor = new Visitor(url);
      const user = `test ${role}`;
      await visitor.follow(await makeConsoleLink(pipeline.store, url, { user, role, organisationId }));
      return visitor;
    },
  };
}

/** An API with a test's answers, which keeps its requests. */
interface FakeApi {
  readonly url: string;
  readonly asked: Array<{ path: string; token: string | undefined; body: unknown }>;
  close(): Promise<void>;
}

/** @param answer undefined: the request never gets one */
export async function startFakeApi(
  answer: (path: string, body: unknown) => { status: number; body: unknown } | undefined,
): Promise<FakeApi> {
  const asked: FakeApi["asked"] = [];
  const server: Server = createServer((incoming, response) => {
    let text = "";
    incoming.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    incoming.on("end", () => {
      const path = incoming.url ?? "";
      const body = JSON.parse(text);
      asked.push({ path, token: incoming.headers.authorization, body });
      const given = answer(path, body);
      if (given === undefined) return;
      response.writeHead(given.status, { "content-type": "application/json" });
      response.end(JSON.stringify(given.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
