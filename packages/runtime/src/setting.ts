/** How one environment variable is read. `read` throws an Error whose message completes "<KEY> …". */
export interface Setting<T> {
  readonly key: string;
  readonly about: string;
  readonly fallback: T | undefined;
  /** Never printed: shown as `set` or `not set`. */
  readonly secret: boolean;
  read(text: string): T;
}

type Options<T> = { about: string; fallback: T; secret?: boolean };

function setting<T>(key: string, options: Options<T>, read: (text: string) => T): Setting<T> {
  return { key, about: options.about, fallback: options.fallback, secret: options.secret ?? false, read };
}

export function text(key: string, options: Options<string>): Setting<string> {
  return setting(key, options, (value) => value);
}

export function integer(
  key: string,
  options: Options<number> & { min: number; max: number },
): Setting<number> {
  return setting(key, options, (value) => {
    const number = Number(value);
    if (/^-?\d+$/.test(value) && number >= options.min && number <= options.max) return number;
    throw new Error(`must be a whole number from ${options.min} to ${options.max}, not "${value}"`);
  });
}

/** 0 asks the system for any free port. */
export function port(key: string, options: Options<number>): Setting<number> {
  return integer(key, { ...options, min: 0, max: 65_535 });
}

export function oneOf<const T extends string>(
  key: string,
  options: Options<T> & { values: readonly T[] },
): Setting<T> {
  return setting(key, options, (value) => {
    const found = options.values.find((allowed) => allowed === value);
    if (found !== undefined) return found;
    throw new Error(`must be one of ${options.values.join(", ")}, not "${value}"`);
  });
}

/** A server's URL. It may hold a password, so it is never printed, not even in an error. */
export function serverUrl(
  key: string,
  options: { about: string; protocols: readonly string[] },
): Setting<string | undefined> {
  const example = `${options.protocols[0]}//user:password@host:port`;
  return setting<string | undefined>(
    key,
    { about: options.about, fallback: undefined, secret: true },
    (value) => {
      const urls = value.split(",");
      const valid = urls.every(
        (url) => URL.canParse(url) && options.protocols.includes(new URL(url).protocol),
      );
      if (valid) return value;
      throw new Error(`must be a URL such as ${example}`);
    },
  );
}
