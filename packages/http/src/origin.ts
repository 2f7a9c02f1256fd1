/** `http://host:port`, an IPv6 address in its brackets. */
export function httpOrigin(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
