/** The result of one check: a line of `stampede doctor`. */
export interface Finding {
  readonly check: string;
  /** warn: works, but an operator should look at it. fail: will not work, or will break a guarantee. */
  readonly status: "ok" | "warn" | "fail";
  /** The finding and, if it is not ok, what to do. Holds no secret. */
  readonly detail: string;
}

export const ok = (check: string, detail: string): Finding => ({ check, status: "ok", detail });
export const warn = (check: string, detail: string): Finding => ({ check, status: "warn", detail });
export const fail = (check: string, detail: string): Finding => ({ check, status: "fail", detail });
