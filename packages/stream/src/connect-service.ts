import type { ServiceContext } from "#runtime";
import { connectStream, type Stream } from "./connect.ts";

/**
 * A service's connection, as its settings say: prefix, TLS, credentials.
 * @param name shown by the server; also the NATS user's inbox
 * @throws StartError as `connectStream`
 */
export function connectService(
  { settings, log }: Pick<ServiceContext, "settings" | "log">,
  url: string,
  name: string,
): Promise<Stream> {
  return connectStream({ url, name, prefix: settings.streamPrefix, access: settings, log });
}
