/**
 * ok: as it should be. warn: works, but somebody should look at it. fail: will not work, or not as promised.
 */
type FindingStatus = "ok" | "warn" | "fail";

/** The result of one check: a line of `stampede doctor`. */
export interface Finding {
  readonly check: string;
  readonly status: FindingStatus;
  /** What was found and, if that is not ok, what to do. Holds no secret. */
  readonly detail: string;
}

export const ok = (check: string, detail: string): Finding => ({ check, status: "ok", detail });
export const warn = (check: string, detail: string): Finding => ({ check, status: "warn", detail });
export const fail = (check: string, detail: string): Finding => ({ check, status: "fail", detail });
