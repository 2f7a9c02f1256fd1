import t from "tap";
import { DELIVERY_ERROR_CLASSES } from "#domain/webhooks";
import { attemptWords, stateWords } from "./attempt-words.ts";

t.test(
  "attempt words - every error class has words of its own, and a status is shown unchanged",
  async (t) => {
    const spoken = DELIVERY_ERROR_CLASSES.map((error_class) => attemptWords({ error_class }));
    t.equal(new Set(spoken).size, spoken.length);
    for (const words of spoken) t.notMatch(words, /_/);
    t.equal(attemptWords({ status: 503, error_class: "http_5xx" }), "answered 503");
    t.equal(attemptWords({ error_class: "something_new" }), "something new");
    t.equal(attemptWords({}), "not tried yet");
  },
);

t.test("state words - a failing webhook is enabled, and says which events wait for what", async (t) => {
  t.match(stateWords({ state: "enabled" }), /^Enabled: /);
  t.match(stateWords({ state: "enabled", failing_since: "2026-11-23T14:02:00Z" }), /failing.*wait/);
  t.match(stateWords({ state: "paused", failing_since: "2026-11-23T14:02:00Z" }), /^Paused/);
  t.match(stateWords({ state: "disabled" }), /^Disabled.* 72 hours/);
});
