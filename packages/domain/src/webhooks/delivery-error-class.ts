/**
 * Why an attempt failed, as the list of deliveries shows it. Integrators may rely on a name, so it never
 * changes.
 *
 * - `connection_refused`: no connection came about; also where there is no route to the address.
 * - `connection_reset`: the connection ended before the whole answer was there; also where the answer was not
 *   HTTP.
 * - `timeout`: the whole answer was not there within 15 s.
 * - `blocked_address`: webhooks may not have this target; nothing was sent.
 * - `http_5xx`: also a status that HTTP does not have.
 */
export const DELIVERY_ERROR_CLASSES = [
  "dns_error",
  "connection_refused",
  "connection_reset",
  "tls_error",
  "timeout",
  "blocked_address",
  "redirect",
  "http_4xx",
  "http_5xx",
  "response_too_large",
] as const;
export type DeliveryErrorClass = (typeof DELIVERY_ERROR_CLASSES)[number];

/** The error class of a final status; null for a success. */
export function errorClassOfStatus(status: number): DeliveryErrorClass | null {
  if (status >= 200 && status <= 299) return null;
  if (status >= 300 && status <= 399) return "redirect";
  if (status >= 400 && status <= 499) return "http_4xx";
  return "http_5xx";
}
