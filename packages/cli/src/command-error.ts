import { StampedeError } from "#client";
import { classifyDatabaseError, MigrationError } from "#postgres";
import { SettingsError, StartError } from "#runtime";

/** A command cannot do its task. `message` is one line that says what to do. */
export class CommandError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CommandError";
  }
}

/** The message for the terminal: one line for an error that the user can fix, the stack for a fault of Stampede. */
export function explainFailure(error: unknown): string {
  if (
    error instanceof CommandError ||
    error instanceof SettingsError ||
    error instanceof StartError ||
    error instanceof MigrationError
  ) {
    return error.message;
  }
  if (error instanceof StampedeError) {
    const trace = error.traceId === undefined ? "" : `, trace id ${error.traceId}`;
    return `the request failed: ${error.message} (${error.code}${trace})`;
  }
  // Before the database: its errors may have the same codes.
  if (isFileError(error)) {
    const { syscall, path } = error;
    return explainFileError(`cannot ${syscall}${path === undefined ? "" : ` ${path}`}`, error).message;
  }
  const meaning = classifyDatabaseError(error);
  if (meaning === "unavailable" || meaning === "retry") {
    const { message, code } = error as { message: string; code: string };
    return `the database cannot be used: ${message || code}`;
  }
  // 42P01, undefined table: a database without our schema.
  if ((error as { code?: unknown }).code === "42P01") {
    return "the database has no schema of Stampede: run `stampede migrate` first";
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The meanings of file system errors, by code. */
const MEANINGS: Readonly<Record<string, string>> = {
  EACCES: "permission denied: run this as its owner, or give this user the right",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file is too large",
  EIO: "the disk failed",
  EISDIR: "it is a folder",
  ELOOP: "too many links",
  EMFILE: "too many open files",
  ENAMETOOLONG: "the name is too long",
  ENOENT: "no such file or folder",
  ENOSPC: "no space left on the disk",
  ENOTDIR: "a part of the path is no folder",
  EPERM: "not permitted: run this as its owner",
  EROFS: "the file system is read-only: name a file elsewhere",
  ETXTBSY: "it is the file of a running process",
};

/** Whether an error comes from the file system. Socket errors have the same codes, but other system calls and no path. */
export function isFileError(error: unknown): error is NodeJS.ErrnoException {
  const { code, syscall, path } = (error ?? {}) as NodeJS.ErrnoException;
  if (typeof code !== "string" || typeof syscall !== "string") return false;
  if (["connect", "getaddrinfo", "listen", "bind", "accept"].includes(syscall)) return false;
  return path !== undefined || code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG" || code === "EIO";
}

/** @param what such as `cannot write out.csv` */
export function explainFileError(what: string, error: NodeJS.ErrnoException): CommandError {
  const { code = "" } = error;
  const meaning = MEANINGS[code];
  return new CommandError(`${what} (${meaning === undefined ? code : `${code}, ${meaning}`})`, {
    cause: error,
  });
}
