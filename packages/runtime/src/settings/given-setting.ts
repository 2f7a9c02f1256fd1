import { closeSync, openSync, readSync } from "node:fs";
import type { Setting } from "./setting.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The source of a setting's value. */
export type SettingOrigin = "default" | "environment" | "file";

/** The environment's content for one setting. */
interface GivenSetting {
  readonly origin: SettingOrigin;
  /** For messages: the variable that was given, and the path that it names, never the content of the file. */
  readonly name: string;
  readonly file?: string;
  /** Absent if the default holds. */
  readonly text?: string;
}

/** Far above any list of keys or servers. It ends the reading of an endless device. */
const FILE_BYTES_MAX = 64 * 1024;

/** `<KEY>_FILE`: the path of a file that holds the value of `<KEY>`. For secrets only. */
export function fileKey(setting: Pick<Setting<unknown>, "key" | "secret">): string | undefined {
  return setting.secret ? `${setting.key}_FILE` : undefined;
}

/**
 * Reads one setting from the environment. An empty variable counts as absent; an empty file does not, because
 * a file that is named is meant to hold something.
 * @throws Error whose message is a whole sentence with the variable's name
 */
export function givenSetting(
  setting: Pick<Setting<unknown>, "key" | "secret">,
  env: Environment,
): GivenSetting {
  const { key } = setting;
  const text = env[key];
  const pathKey = fileKey(setting);
  const file = pathKey === undefined ? undefined : env[pathKey];
  if (pathKey !== undefined && file) {
    if (text) throw new Error(`${key} and ${pathKey} are both set: remove one of them`);
    return { origin: "file", name: `${pathKey} (${file})`, file, text: readSecretFile(pathKey, file) };
  }
  return text ? { origin: "environment", name: key, text } : { origin: "default", name: key };
}

function readSecretFile(key: string, path: string): string {
  let text: string;
  try {
    text = readBounded(path);
  } catch (error) {
    const { code = (error as Error).message } = error as NodeJS.ErrnoException;
    throw new Error(`${key} names ${path}, which cannot be read (${code}): ${mendOf(code)}`);
  }
  // Editors and `echo` end a file with a newline, which is part of no key and no URL.
  const secret = text.replace(/(?<![\r\n])[\r\n]+$/, "");
  if (secret === "") throw new Error(`${key} names ${path}, which is empty`);
  return secret;
}

function mendOf(code: string): string {
  if (code === "ENOENT") return "put the value there, or correct the path";
  if (code === "EACCES" || code === "EPERM") return "run this as the user whom the file belongs to";
  return "name a file that holds the value alone";
}

/** Reads piece by piece, because a pipe gives only its present content and does not tell its size. */
function readBounded(path: string): string {
  const bytes = Buffer.alloc(FILE_BYTES_MAX + 1);
  const file = openSync(path, "r");
  try {
    let length = 0;
    for (;;) {
      const read = readSync(file, bytes, length, bytes.length - length, null);
      length += read;
      if (length > FILE_BYTES_MAX) throw new Error(`more than ${FILE_BYTES_MAX} bytes`);
      if (read === 0) return bytes.toString("utf8", 0, length);
    }
  } finally {
    closeSync(file);
  }
}
