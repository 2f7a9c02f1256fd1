import type { ServiceName } from "#contract";
import { isCidr } from "#domain";
import { SecretBox } from "../secret-box.ts";

/** The readers of a setting. `npm start` also hands the settings of its services on to them. */
type SettingReader = ServiceName | "npm start" | "stampede doctor";

/** The text of a setting in docs/settings.md. */
interface SettingText {
  /** One phrase, which `stampede config` prints as well. */
  readonly about: string;
  readonly readers: readonly SettingReader[];
  /** The unit of a number. */
  readonly unit?: string;
  /** The effect of leaving the variable out, if the fallback alone does not say it; Markdown. */
  readonly without?: string;
  /** Further sentences after `about`; Markdown. */
  readonly more?: string;
}

/** How one environment variable is read. `read` throws an Error whose message completes "<KEY> …". */
export interface Setting<T> extends SettingText {
  readonly key: string;
  readonly fallback: T | undefined;
  /** A secret is never printed, only shown as `set` or `not set`. */
  readonly secret: boolean;
  read(text: string): T;
}

type Options<T> = SettingText & { fallback: T; secret?: boolean };

function setting<T>(key: string, options: Options<T>, read: (text: string) => T): Setting<T> {
  const { about, readers, unit, without, more, fallback, secret = false } = options;
  const text = { about, readers, ...(unit && { unit }), ...(without && { without }), ...(more && { more }) };
  return { key, ...text, fallback, secret, read };
}

export function text(key: string, options: Options<string>): Setting<string> {
  return setting(key, options, (value) => value);
}

/** The path of a file that other code reads; its content is not checked here. */
export function file(key: string, options: SettingText): Setting<string | undefined> {
  return setting<string | undefined>(key, { ...options, fallback: undefined }, (value) => value);
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

/** An optional whole number. */
export function optionalInteger(
  key: string,
  options: SettingText & { min: number; max: number },
): Setting<number | undefined> {
  const { read } = integer(key, { ...options, fallback: options.min });
  return setting<number | undefined>(key, { ...options, fallback: undefined }, read);
}

/** The name of an HTTP header field, turned into lower case. */
export function fieldName(key: string, options: Options<string>): Setting<string> {
  return setting(key, options, (value) => {
    if (/^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(value)) return value.toLowerCase();
    throw new Error(`must be the name of a header such as x-forwarded-for, not "${value}"`);
  });
}

/** A number that may have a fraction, without sign or exponent. */
export function decimal(key: string, options: Options<number> & { max: number }): Setting<number> {
  return setting(key, options, (value) => {
    const number = Number(value);
    if (/^\d+(\.\d+)?$/.test(value) && number <= options.max) return number;
    throw new Error(`must be a number from 0 to ${options.max}, not "${value}"`);
  });
}

/** 0 asks the operating system for any free port. */
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
  options: SettingText & { protocols: readonly string[] },
): Setting<string | undefined> {
  const example = `${options.protocols[0]}//user:password@host:port`;
  return setting<string | undefined>(key, { ...options, fallback: undefined, secret: true }, (value) => {
    const urls = value.split(",");
    const valid = urls.every((url) => URL.canParse(url) && options.protocols.includes(new URL(url).protocol));
    if (valid) return value;
    throw new Error(`must be a URL such as ${example}`);
  });
}

/** URLs that are only read, separated by commas. They have no credentials, so they may be printed. */
export function httpUrls(key: string, options: SettingText): Setting<readonly string[]> {
  return setting<readonly string[]>(key, { ...options, fallback: [] }, (value) => {
    const urls = value.split(",").map((url) => url.trim());
    if (urls.every(isPlainHttpUrl)) return urls;
    throw new Error("must be URLs such as http://host:8222 without user and password, commas between");
  });
}

/** A single such URL. */
export function httpUrl<T extends string | undefined>(
  key: string,
  options: SettingText & { fallback: T },
): Setting<T | string> {
  return setting<T | string>(key, options, (value) => {
    if (isPlainHttpUrl(value)) return value;
    throw new Error(`must be a URL such as http://host:8080 without user and password, not "${value}"`);
  });
}

/** The value of a browser's `origin` header: scheme, host and port. */
export function origin(key: string, options: SettingText): Setting<string | undefined> {
  return setting<string | undefined>(key, { ...options, fallback: undefined }, (value) => {
    if (isPlainHttpUrl(value) && new URL(value).origin === value.replace(/\/$/, "").toLowerCase()) {
      return new URL(value).origin;
    }
    throw new Error(`must be an origin such as https://stampede.example.com without a path, not "${value}"`);
  });
}

/** A path that begins and ends with a slash; missing ones are added. */
export function basePath(key: string, options: Options<string>): Setting<string> {
  return setting(key, options, (value) => {
    const path = `/${value}/`.replaceAll(/\/+/g, "/");
    if (/^\/([\w.~-]+\/)*$/.test(path) && !/\/\.{1,2}\//.test(path)) return path;
    throw new Error(`must be a path such as /console/, not "${value}"`);
  });
}

/** Secrets separated by white space or commas, such as the lines of a file; never printed. */
export function secretList(key: string, options: SettingText): Setting<readonly string[] | undefined> {
  return setting<readonly string[] | undefined>(
    key,
    { ...options, fallback: undefined, secret: true },
    (value) => value.split(/[\s,]+/).filter((entry) => entry !== ""),
  );
}

/** A secret without white space around it; never printed. */
export function secretText(key: string, options: SettingText): Setting<string | undefined> {
  return setting<string | undefined>(key, { ...options, fallback: undefined, secret: true }, (value) =>
    value.trim(),
  );
}

/** The roles of groups: `group=role`, and for support `group=support:<organisation>`. */
export function groups(key: string, options: SettingText): Setting<readonly string[]> {
  return setting<readonly string[]>(key, { ...options, fallback: [] }, (value) => {
    const entries = value.split(",").map((entry) => entry.trim());
    const wrong = entries.find((entry) => !/^[^=]+=(operator|administrator|support:.+)$/.test(entry));
    if (wrong === undefined) return entries;
    throw new Error(
      `must be entries such as ops=operator,helpdesk=support:<organisation>, and "${wrong}" is none`,
    );
  });
}

function isPlainHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === "http:" || protocol === "https:") && username === "" && password === "";
}

/** Ranges of addresses separated by commas, such as `10.0.0.0/8,fd00::/8`. */
export function cidrs(key: string, options: SettingText): Setting<readonly string[]> {
  return setting<readonly string[]>(key, { ...options, fallback: [] }, (value) => {
    const ranges = value.split(",").map((range) => range.trim());
    const wrong = ranges.find((range) => !isCidr(range));
    if (wrong === undefined) return ranges;
    throw new Error(
      `must be ranges such as 10.0.0.0/8,fd00::/8 without bits beyond their prefix, and "${wrong}" is none`,
    );
  });
}

/** Keys in the form of `SecretBox`; never printed. */
export function keys(key: string, options: SettingText): Setting<string | undefined> {
  return setting<string | undefined>(key, { ...options, fallback: undefined, secret: true }, (value) => {
    new SecretBox(value);
    return value;
  });
}
