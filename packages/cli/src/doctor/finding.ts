/** ok: as it should be. warn: works, and somebody should look. fail: will not work, or not as promised. */
type FindingStatus = "ok" | "warn" | "fail";

/** What one check came to: a line of `stampede doctor`. */
export interface Finding {
  readonly check: string;
  readonly status: FindingStatus;
  /** What was found and, where it is not ok, what to do. No secret. */
  readonly detail: string;
}

export const ok = (check: string, detail: string): Finding => ({ check, status: "ok", detail });
export const warn = (check: string, detail: string): Finding => ({ check, status: "warn", detail });
export const fail = (check: string, detail: string): Finding => ({ check, status: "fail", detail });
