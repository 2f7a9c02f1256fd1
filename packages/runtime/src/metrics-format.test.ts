import t from "tap";
import { preferredFormat } from "./ops.ts";

const OPENMETRICS = "application/openmetrics-text";

for (const [accept, format] of [
  [undefined, "text"],
  ["", "text"],
  ["*/*", "text"],
  ["text/html,application/xhtml+xml,*/*;q=0.8", "text"],
  ["text/plain;version=0.0.4;q=1,*/*;q=0.1", "text"],
  [OPENMETRICS, "openmetrics"],
  [`${OPENMETRICS}; version=1.0.0; charset=utf-8`, "openmetrics"],
  [`${OPENMETRICS};q=0`, "text"],
  [`${OPENMETRICS};version=2.0.0`, "text"],
  [`${OPENMETRICS};q=0.2,text/plain;q=0.3`, "text"],
  [`${OPENMETRICS.toUpperCase()};Q=1`, "openmetrics"],
  // Prometheus 2 with exemplar storage, and Prometheus 3.
  [
    `${OPENMETRICS};version=1.0.0;q=0.5,${OPENMETRICS};version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2`,
    "openmetrics",
  ],
  [
    `${OPENMETRICS};version=1.0.0;escaping=allow-utf-8;q=0.6,${OPENMETRICS};version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2`,
    "openmetrics",
  ],
  // Prometheus 3 that was told to prefer its own text.
  [`text/plain;version=0.0.4;q=0.6,${OPENMETRICS};version=1.0.0;q=0.5,*/*;q=0.2`, "text"],
] as const) {
  t.test(`metrics format - ${format} for ${accept ?? "no Accept"}`, async (t) => {
    t.equal(preferredFormat(accept), format);
  });
}
