import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "puppeteer-core";
import t from "tap";
import { waitFor } from "#test-support";
import { DEADLINE_MS } from "./browser.ts";
import type { ConsoleScene } from "./console-scene.ts";
import { scene, skip } from "./console-stage.ts";
import { holds, shows, type Visit, visitAs } from "./console-visit.ts";
import { faultsOfLooks } from "./page-looks.ts";
import { makesPictures, takePicture } from "./take-picture.ts";

const HOPS = ["edge", "ingest", "platform", "rewards", "webhooks"];
let load: Load;

t.before(() => {
  if (!skip) load = startLoad(scene);
});
t.teardown(() => load?.stop());

interface Load {
  /** Resolves when the last purchase is answered. @throws the error of any purchase */
  stop(): Promise<void>;
}

/** Some ten purchases a second; for a picture, some hundred, in waves of a minute. */
const PURCHASES = makesPictures
  ? { middle: 15, wave: 10, everyMs: 100 }
  : { middle: 5, wave: 3, everyMs: 500 };

function startLoad({ buy }: ConsoleScene): Load {
  let isOver = false;
  const run = async () => {
    for (let turn = 0; !isOver; turn++) {
      await buy(PURCHASES.middle + Math.round(PURCHASES.wave * Math.sin(turn / 50)));
      await delay(PURCHASES.everyMs);
    }
  };
  const running = run();
  // `stop` reports the error, not another wait.
  running.catch(() => {});
  return {
    async stop() {
      isOver = true;
      await running;
    },
  };
}

/** A hop as the page shows it: its numbers by their names, such as `events/s`. */
interface ShownHop {
  readonly name: string;
  readonly state: string;
  /** In the order of the page: messages a second, p99, how many wait, and the age of the oldest. */
  readonly numbers: readonly string[];
  /** How many columns of pixels of its first chart are painted. */
  readonly painted: number;
}

async function readHops(page: Page): Promise<ShownHop[]> {
  // Reads a copy: the browser would warn that the charts' own canvases are not made to be read often.
  return (await page.evaluate(`[...document.querySelectorAll(".hop")].map((hop) => {
    const canvas = hop.querySelector("canvas");
    const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
    const context = copy.getContext("2d", { willReadFrequently: true });
    context.drawImage(canvas, 0, 0);
    const { data, width, height } = context.getImageData(0, 0, copy.width, copy.height);
    const isPainted = (x) => Array.from({ length: height }, (_, y) => data[4 * (y * width + x) + 3]).some((alpha) => alpha > 0);
    return {
      name: hop.querySelector("h2").innerText,
      state: hop.querySelector(".badge").innerText,
      numbers: [...hop.querySelectorAll(".measure b")].map(({ innerText }) => innerText),
      painted: Array.from({ length: width }, (_, x) => x).filter(isPainted).length,
    };
  })`)) as ShownHop[];
}

const LOOK_MS = 200;

async function hopWhere(
  page: Page,
  name: string,
  message: string,
  holds: (hop: ShownHop) => boolean,
): Promise<ShownHop> {
  let seen: ShownHop | undefined;
  const find = async () => {
    // A sample comes once a second, and to read all pixels keeps a core busy.
    await delay(LOOK_MS);
    seen = (await readHops(page)).find((hop) => hop.name === name);
    return seen !== undefined && holds(seen) ? seen : undefined;
  };
  return waitFor(find, { message, deadlineMs: DEADLINE_MS }).catch((cause) => {
    throw new Error(`${message}: ${JSON.stringify(seen)}`, { cause });
  });
}

/** Whether the number is known and above zero: a dash means unknown. */
const isSome = (number: string | undefined) => number !== undefined && !/^(–|0|0 s)$/.test(number);

t.test("live - under load every hop shows its rates, and its charts move on", { skip }, async (t) => {
  const { page, complaints, goTo } = await visitAs(t, "operator");
  const samples = countSamples(page);
  await goTo("/live");
  await shows(page, "All hops are ready.");
  const before = await readHops(page);
  t.strictSame(
    before.map(({ name }) => name),
    HOPS,
  );
  for (const name of HOPS) {
    const { numbers } = await hopWhere(page, name, `${name} shows no rate`, (hop) => isSome(hop.numbers[0]));
    t.comment(name, numbers.join(", "));
    await hopWhere(page, name, `${name} shows no p99`, (hop) => isSome(hop.numbers[1]));
  }
  for (const { name, painted } of before)
    await hopWhere(page, name, `the chart of ${name} stands still`, (hop) => hop.painted > painted + 1);
  // A chart may have moved on after fewer samples than that.
  await waitFor(() => samples.times.length > 5, { message: "six samples came", deadlineMs: DEADLINE_MS });
  t.strictSame(samples.times, [...new Set(samples.times)].sort(), "each once, in their order");
  t.match(
    await page.$eval(".live-chart", (chart) => chart.getAttribute("aria-label")),
    /^edge, events\/s: now .*, from \S+ to \d/,
  );
  t.strictSame(await faultsOfLooks(page), []);
  await picture(page, goTo);
  t.strictSame(complaints, []);
});

/** The times of all samples that the page gets, as they come. */
function countSamples(page: Page): { readonly times: number[] } {
  const times: number[] = [];
  page.on("response", async (response) => {
    if (!response.url().endsWith("/api/live")) return;
    // A page that the test leaves takes its answers along.
    const answer = await response.json().catch(() => ({ at: [] }));
    times.push(...answer.at);
  });
  return { times };
}

/** Long enough for a visible line in each chart. */
const HISTORY_MS = 150_000;

/** A picture with a history: load for some minutes first. */
async function picture(page: Page, goTo: Visit["goTo"]): Promise<void> {
  if (!makesPictures) return;
  await delay(HISTORY_MS);
  await page.setViewport({ width: 1440, height: 900 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
  await takePicture(page, "live-under-load-dark");
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
  await goTo("/live");
  await takePicture(page, "live-under-load");
}

t.test("live - the keyboard goes back in time, and all numbers with it", { skip }, async (t) => {
  const { page, goTo } = await visitAs(t, "support");
  await goTo("/live");
  const shown = () => page.$eval(".time-point output", (output) => output.textContent);
  const slider = await page.waitForSelector(".time-point input");
  t.equal(await shown(), "now");
  await slider?.focus();
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowLeft");
  await holds(
    page,
    `/^\\d\\d:\\d\\d:\\d\\d$/.test(document.querySelector(".time-point output").textContent)`,
  );
  await page.keyboard.press("End");
  await holds(page, `document.querySelector(".time-point output").textContent === "now"`);
});

t.test(
  "live - a hop with a killed process is down, its messages wait, and it comes back",
  { skip },
  async (t) => {
    const { page, complaints, goTo } = await visitAs(t, "operator");
    await goTo("/live");
    await shows(page, "All hops are ready.");
    await scene.kill("ingest");
    await shows(page, "ingest is down");
    await shows(page, /127\.0\.0\.1:\d+ does not answer/);
    const down = await hopWhere(
      page,
      "ingest",
      "what waits for ingest is not shown",
      ({ state, numbers }) => {
        return state === "down" && isSome(numbers[2]) && isSome(numbers[3]);
      },
    );
    t.comment("down:", down.numbers.join(", "));
    t.strictSame(await faultsOfLooks(page), []);
    await takePicture(page, "live-down");
    await scene.replace("ingest");
    await shows(page, "All hops are ready.");
    await hopWhere(page, "ingest", "ingest does not go on", ({ state, numbers }) => {
      return state === "ready" && isSome(numbers[0]) && isSome(numbers[1]);
    });
    await load.stop();
    await hopWhere(
      page,
      "ingest",
      "something waits for ever",
      ({ numbers }) => numbers[2] === "0" && numbers[3] === "0 s",
    );
    t.notMatch(await page.$eval("main", (main) => main.textContent), /does not answer/);
    t.strictSame(complaints, []);
  },
);

t.test("live - a failed answer leaves the last data, with their time", { skip }, async (t) => {
  const { page, goTo } = await visitAs(t, "operator", { isBad: () => false });
  await goTo("/live");
  await shows(page, "All hops are ready.");
  await page.setOfflineMode(true);
  await shows(page, /The console does not answer\. The numbers below are those of \d\d:\d\d:\d\d/);
  t.strictSame(
    (await readHops(page)).map(({ name }) => name),
    HOPS,
  );
  await page.setOfflineMode(false);
  await shows(page, "All hops are ready.");
});
