/**
 * The fault of a version of nats-server, if it has one. Before 2.10 there is no
 * `sync_interval: always`, so a power loss can lose an acknowledged message; 2.10.20 to 2.10.22 can lose
 * messages of a work-queue stream.
 */
export function natsVersionWarning(version: string): string | undefined {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  if (major < 2 || (major === 2 && minor < 10)) {
    return `nats-server ${version} cannot sync every write (2.10 and later can): a power loss may lose messages`;
  }
  if (major === 2 && minor === 10 && patch >= 20 && patch <= 22) {
    return `nats-server ${version} can lose messages of work-queue streams: use 2.10.23 or later`;
  }
  return undefined;
}
