import type { DeliveryErrorClass } from "#domain";

/** An attempt came to no usable answer, and why: an outcome of the delivery, no fault of ours. */
export class AttemptFailure extends Error {
  readonly errorClass: DeliveryErrorClass;

  constructor(errorClass: DeliveryErrorClass, options?: ErrorOptions) {
    super(errorClass, options);
    this.name = "AttemptFailure";
    this.errorClass = errorClass;
  }
}

/** `ECONNRESET`, `ERR_SSL_…`, `UND_ERR_SOCKET`; empty where there is none. */
export function errorCode(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : "";
}
