import t from "tap";
import { findNats } from "./start-nats.ts";

t.test("nats - the server of the npm package is found and is the one that was checked", async (t) => {
  t.match(findNats(), { version: /^2\.14\.\d+$/ });
});
