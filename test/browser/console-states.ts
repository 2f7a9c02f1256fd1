import type { Page } from "puppeteer-core";
import t, { type Test } from "tap";
import { DEADLINE_MS } from "./browser.ts";
import { PAGE_CASES, type PageCase } from "./console-pages.ts";
import { LONG_LISTS, type ManyRows } from "./console-rows.ts";
import { scene, skip } from "./console-stage.ts";
import {
  choose,
  type Fate,
  holds,
  isGone,
  isShown,
  press,
  Questions,
  refusal,
  shows,
  type Visit,
  visitAs,
} from "./console-visit.ts";
import { faultsOfHead, faultsOfLooks, faultsOfWidths } from "./page-looks.ts";

const AWAY = refusal(503, "unavailable", "the till is away");
const BROKEN = refusal(500, "internal_error", "something broke");
const FORBIDDEN = refusal(403, "authorization_error", "this is for the role operator");

/** A user at a page; the test answers the page's requests. */
interface Watch extends Visit {
  readonly t: Test;
  readonly questions: Questions;
  readonly view: PageCase;
}

t.test("console - each page has a face for each state", { skip }, async (t) => {
  const visit = await visitAs(t, "administrator", { isBad: () => false });
  const questions = await Questions.intercept(visit.page);
  for (const view of Object.values(PAGE_CASES)) {
    await t.test(view.picture, async (t) => {
      const watch = { ...visit, t, questions, view };
      await isEmpty(watch);
      if (typeof view.asks !== "string") return;
      await isLoading(watch, view.asks);
      await isFailing(watch, view.asks);
      if (view.forbidden === undefined) await isForbidden(watch, view.asks);
      for (const part of view.parts ?? []) await isFailingInPart(watch, part);
    });
  }
  t.strictSame(visit.complaints, []);
});

/** @param unlike the fate of the routes that do not pass */
async function begin(
  { questions, follow, view }: Watch,
  unlike: Readonly<Record<string, Fate>>,
  path?: string,
) {
  questions.decide((route) => unlike[route] ?? "pass");
  await follow(path ?? view.at(scene));
}

/** The page of the empty organisation, or of a platform that says it has nothing. */
async function isEmpty(watch: Watch): Promise<void> {
  const { t, page, view, questions } = watch;
  for (const { at = view.at, answers, shows: expected } of view.empty) {
    if (answers === undefined) await choose(page, scene.emptyOrganisationId);
    const given = Object.entries(answers ?? {}).map(([route, body]) => [route, { status: 200, body }]);
    await begin(watch, Object.fromEntries(given), at(scene));
    await shows(page, expected);
    t.strictSame(await faultsOfHead(page), [], "empty");
    const foreign = /Loyalty app|Coffee card|M-REFUSED|ada@example.com|M-COFFEE/;
    t.notMatch(await watch.text(), foreign, "nothing of another organisation is there");
    questions.release();
    if (answers === undefined) await choose(page, scene.pipeline.publisher.organisationId);
  }
}

async function isLoading(watch: Watch, asks: string): Promise<void> {
  const { t, page, questions, view } = watch;
  await begin(watch, { [asks]: "hold" });
  await page.waitForSelector(".loading");
  t.strictSame(await faultsOfHead(page), [], "loading");
  questions.release();
  await shows(page, view.shows);
  await isShown(page);
}

/** It fails, fails in another way when it is tried again, and then heals. */
async function isFailing(watch: Watch, asks: string): Promise<void> {
  const { t, page, questions, view } = watch;
  const tryAgain = async () => {
    if (!view.heals) await press(page, "Try again", "main");
  };
  const showsFailure = async (words: string) => {
    await shows(page, words);
    await shows(page, view.failed ?? /This could not be loaded/);
    t.strictSame(await faultsOfHead(page), [], words);
  };
  await begin(watch, { [asks]: BROKEN });
  await showsFailure("something broke");
  questions.decide((route) => (route === asks ? AWAY : "pass"));
  await tryAgain();
  await showsFailure("the till is away");
  t.notMatch(await watch.text(), "something broke", "the earlier failure is gone");
  questions.release();
  await tryAgain();
  await shows(page, view.shows);
  t.equal(await page.$(".message-failed"), null, "the failure is gone");
}

async function isForbidden(watch: Watch, asks: string): Promise<void> {
  const { t, page, questions } = watch;
  await begin(watch, { [asks]: FORBIDDEN });
  await page.waitForSelector(".message-forbidden");
  await shows(page, "this is for the role operator");
  t.strictSame(await faultsOfHead(page), [], "forbidden");
  questions.release();
}

async function isFailingInPart(watch: Watch, part: string): Promise<void> {
  const { t, page, questions, view } = watch;
  await begin(watch, { [part]: AWAY });
  await shows(page, "the till is away");
  // A late part would move the button away from under the mouse.
  await isShown(page);
  t.strictSame(await faultsOfHead(page), [], part);
  questions.release();
  await press(page, "Try again", "main");
  await shows(page, view.shows);
  await holds(page, `!document.body.innerText.includes("the till is away")`);
}

t.test("console - each state of a page can be read, at every width", { skip }, async (t) => {
  const visit = await visitAs(t, "administrator", { isBad: () => false });
  const { page, follow } = visit;
  const questions = await Questions.intercept(page);
  const asks = "publisher.v1/webhook/list";
  const faces: ReadonlyArray<readonly [selector: string, fate: Fate]> = [
    [".loading", "hold"],
    [".message-failed", AWAY],
    [".message-forbidden", FORBIDDEN],
    [".empty", { status: 200, body: { data: [], page: { cursor: null, more: false, page_size: 0 } } }],
  ];
  for (const [selector, fate] of faces) {
    questions.decide((route) => (route === asks ? fate : "pass"));
    await follow("/webhooks");
    await page.waitForSelector(selector);
    t.strictSame(await faultsOfLooks(page), [], selector);
    questions.release();
  }
});

t.test("console - what a user writes stays while the page cannot be loaded again", { skip }, async (t) => {
  const visit = await visitAs(t, "operator", { isBad: () => false });
  const { page, follow } = visit;
  const questions = await Questions.intercept(page);
  await follow(`/webhook/${scene.webhookId}`);
  await press(page, "Pause");
  const field = await page.waitForSelector("dialog[open] textarea");
  await field?.type("the app is being moved");
  questions.decide((route) => (route === "publisher.v1/webhook/get" ? AWAY : "pass"));
  await page.waitForSelector(".message-failed");
  t.equal(await page.$eval("dialog[open] textarea", ({ value }) => value), "the app is being moved");
  t.match(await visit.text(), /Loyalty app[\s\S]*answered 200/);
  questions.release();
  await isGone(page, ".message-failed");
  t.equal(await page.$eval("dialog[open] textarea", ({ value }) => value), "the app is being moved");
  t.strictSame(visit.complaints, []);
});

t.test(
  "console - all rows of a long list can be loaded, each once, and the page keeps its place",
  { skip },
  async (t) => {
    const lists: readonly ManyRows[] = Object.values(LONG_LISTS);
    for (const { fill } of lists) await fill(scene);
    const visit = await visitAs(t, "administrator");
    for (const list of lists) await t.test(list.caption, (t) => showsAll(t, visit, list));
    t.strictSame(visit.complaints, []);
  },
);

async function showsAll(t: Test, { page, follow }: Visit, list: ManyRows): Promise<void> {
  const { at, caption, open, rows, hasTwins } = list;
  await follow(at(scene));
  if (open !== undefined) {
    const summary = await page.waitForSelector(`main ::-p-xpath(.//summary[.=${JSON.stringify(open)}])`);
    // Not by its place, which moves while the lists above it load: a click there would open nothing.
    await summary?.evaluate((one) => (one as unknown as { click(): void }).click());
  }
  const { count, different, keepsFocus, ms } = await loadAll(page, caption);
  t.ok(count >= rows, `${count} rows`);
  if (!hasTwins) t.equal(different, count, "no row is there twice");
  t.ok(keepsFocus, "a user who asked for more by the keyboard can do so again");
  t.comment(`${count} rows; the last page took ${ms} ms until it was drawn`);
  t.strictSame(await faultsOfWidths(page), []);
}

interface Loaded {
  readonly count: number;
  readonly different: number;
  readonly keepsFocus: boolean;
  readonly ms: number;
}

/** Asks for more rows of a table, by the keyboard's way, until there are no more. */
async function loadAll(page: Page, caption: string): Promise<Loaded> {
  const table = `[...document.querySelectorAll("table")].find((one) => one.caption.textContent === ${JSON.stringify(caption)})`;
  await holds(page, table);
  return (await page.evaluate(`(async () => {
    const table = ${table};
    const { rows } = table.tBodies[0];
    const more = () => table.parentElement.querySelector("button.more");
    const loaded = { count: 0, different: 0, keepsFocus: true, ms: 0 };
    while (more() !== null) {
      const before = rows.length;
      const askedAt = performance.now();
      more().focus();
      more().click();
      while (rows.length === before && more() !== null) {
        if (performance.now() - askedAt > ${DEADLINE_MS}) throw new Error("no more rows came than " + before);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      if (more() !== null && document.activeElement !== more()) loaded.keepsFocus = false;
      await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
      loaded.ms = Math.round(performance.now() - askedAt);
    }
    const texts = [...rows].map((row) => row.textContent + [...row.querySelectorAll("a")].map(({ href }) => href));
    return { ...loaded, count: rows.length, different: new Set(texts).size };
  })()`)) as Loaded;
}
