import { connectStream, type Stream } from "#nats";
import { createLog, type Settings } from "#runtime";
import { findNats } from "./find-nats.ts";

type StreamSettings = Pick<
  Settings,
  "natsUrl" | "dataDir" | "streamPrefix" | "natsCaFile" | "natsCertFile" | "natsKeyFile" | "natsCredsFile"
>;

/** Lends the NATS that a command works on, NATS_URL or else that of the running instance, for as long as `work` takes. */
export async function withStream<T>(
  settings: StreamSettings,
  work: (stream: Stream) => Promise<T>,
): Promise<T> {
  const stream = await connectStream({
    url: findNats(settings),
    name: "operator",
    prefix: settings.streamPrefix,
    access: settings,
    // stdout is for the command's own output; what goes wrong is thrown.
    log: createLog({ service: "cli", level: "silent" }),
  });
  try {
    return await work(stream);
  } finally {
    await stream.close();
  }
}
