import { ClosedConnectionError, DrainingConnectionError } from "@nats-io/transport-node";
import { type ServiceContext, StartError } from "#runtime";
import { connectStream, type Stream } from "./connect.ts";
import { isUnled } from "./until-led.ts";

/**
 * A service's connection, as its settings say: prefix, TLS, credentials. A server that is away, or whose JetStream is, is
 * waited for.
 * @param name shown by the server; also the NATS user's inbox
 * @throws StartError as `connectStream`, where it would be the same again
 */
export function connectService(
  { settings, log, waiting }: Pick<ServiceContext, "settings" | "log" | "waiting">,
  url: string,
  name: string,
): Promise<Stream> {
  const connect = () => connectStream({ url, name, prefix: settings.streamPrefix, access: settings, log });
  return waiting.until("NATS", connect, isStreamAway);
}

/** Whether NATS cannot serve now, and may soon. */
function isStreamAway(error: unknown): boolean {
  if (error instanceof StartError) return error.passes;
  return isUnled(error) || error instanceof ClosedConnectionError || error instanceof DrainingConnectionError;
}
