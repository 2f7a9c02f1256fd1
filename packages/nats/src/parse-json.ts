const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** The value of a message; undefined if it is not JSON in UTF-8. */
export function parseJson(data: Uint8Array): unknown {
  try {
    return JSON.parse(UTF8.decode(data));
  } catch {
    return undefined;
  }
}
