import { createHttpServer } from "#http";

const HOST = "127.0.0.1";
const SIGNATURE_HEADERS = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;

/** A place on this machine that webhooks can be sent to. */
export interface WebhookListener {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Listens on this machine. A request is answered 204 when `receive` returns, and 400 with the error's message
 * when it throws.
 * @param port 0 means any free port
 * @param receive is given the header fields that sign the body, and the body as it came
 */
export async function listenForWebhooks(
  port: number,
  receive: (headers: Readonly<Record<string, string | undefined>>, body: Uint8Array) => void,
): Promise<WebhookListener> {
  const server = createHttpServer({
    adapter: "node",
    wantedHeaders: SIGNATURE_HEADERS,
    api: {
      admit: () => undefined,
      handle: (request, body, respond) => {
        const headers = Object.fromEntries(SIGNATURE_HEADERS.map((name) => [name, request.header(name)]));
        try {
          receive(headers, body);
          respond({ status: 204, body: "" });
        } catch (error) {
          respond({ status: 400, headers: { "content-type": "text/plain" }, body: (error as Error).message });
        }
      },
    },
    onFault: () => {},
    onNotice: () => {},
  });
  const taken = await server.start({ host: HOST, port });
  return { url: `http://${HOST}:${taken}`, close: () => server.close(0) };
}
