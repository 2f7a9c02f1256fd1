/**
 * Why something could not be started. `code` is stable: tests and scripts compare it.
 */
export type StartErrorCode =
  | "bad_config"
  | "data_dir_in_use"
  | "data_dir_not_writable"
  | "data_dir_other_version"
  | "port_taken"
  | "server_failed"
  | "server_missing"
  | "server_unreachable";

/** A failed start. `message` is one line that says what to do, fit to be printed as it is. */
export class StartError extends Error {
  readonly code: StartErrorCode;

  constructor(code: StartErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StartError";
    this.code = code;
  }
}
