import { connect, type NatsConnection } from "@nats-io/transport-node";

/** @param url with the user's name and password, as `RunningNats` has it */
export function connectNats(url: string): Promise<NatsConnection> {
  const { host, username, password } = new URL(url);
  return connect({ servers: host, user: username, pass: password });
}
