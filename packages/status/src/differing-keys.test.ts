import t from "tap";
import { differingKeys } from "./differing-keys.ts";
import { Scrape } from "./scrape.ts";

const source = (host: string, service: string, check: string) => ({
  url: `http://${host}:9464`,
  at: 0,
  scrape: new Scrape(`stampede_encryption_key_info{key="k1",check="${check}",service="${service}"} 1`),
});

t.test("keys - the same id with another key is reported, with the processes that have it", async (t) => {
  const sources = [source("a", "edge", "01"), source("b", "edge", "01"), source("c", "webhooks", "02")];
  t.strictSame(differingKeys(sources.slice(0, 2)), []);
  t.match(differingKeys(sources), [
    /^webhooks at c:9464 has another key under the id k1 than edge at a:9464, edge at b:9464: give all the same/,
  ]);
  t.match(differingKeys([source("a", "edge", "01")], new Map([["k1", "02"]])), [/this environment/]);
  t.strictSame(differingKeys([source("a", "edge", "01")], new Map([["k2", "02"]])), []);
});
