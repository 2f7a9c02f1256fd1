import type { HTTPRequest, Page } from "puppeteer-core";
import type { Test } from "tap";
import { encodeId } from "#domain";
import type { ConsoleRole } from "#publisher-db";
import { DEADLINE_MS, openPage, type WatchedPage, type WatchOptions } from "./browser.ts";
import { browser, scene } from "./console-stage.ts";

export interface Visit extends WatchedPage {
  /** Goes to a path below the base by loading it, and waits until the page shows something. */
  goTo(path: string): Promise<void>;
  /**
   * Goes there like a link: the page loads only what it requests. It starts over even if it is shown already.
   */
  follow(path: string): Promise<void>;
  /** The visible text, without the navigation. */
  text(): Promise<string>;
}

/** A user with a role, let in by a link, in a browser profile of its own. */
export async function visitAs(
  t: Test,
  role: ConsoleRole,
  options: Omit<WatchOptions, "origin"> = {},
): Promise<Visit> {
  const origin = scene.console.url;
  const watched = await openPage(t, browser, { origin, ...options });
  const { page } = watched;
  await page.setViewport({ width: 1280, height: 800 });
  await page.goto(await scene.link(role));
  await page.waitForSelector(".frame");
  if (role !== "support") await choose(page, scene.pipeline.publisher.organisationId);
  return {
    ...watched,
    async goTo(path) {
      await page.goto(origin + path.replace(/^\//, ""));
      await isShown(page);
    },
    async follow(path) {
      await step(page, "/nowhere");
      await step(page, path);
    },
    text: () => textOf(page),
  };
}

/** Goes to a path without loading, and waits until the page has drawn its present content. */
async function step(page: Page, path: string): Promise<void> {
  const address = JSON.stringify(path);
  await page.evaluate(`new Promise((drawn) => {
    const base = document.documentElement.dataset.base ?? "/";
    history.pushState(null, "", base + ${address}.slice(1));
    dispatchEvent(new PopStateEvent("popstate"));
    requestAnimationFrame(() => requestAnimationFrame(drawn));
  })`);
}

/** Chooses an organisation. @param uuid of the organisation */
export async function choose(page: Page, uuid: string): Promise<void> {
  await page.select(".who select", encodeId("org", uuid));
}

const textOf = (page: Page) =>
  page.$eval("main", (main) => (main as unknown as { innerText: string }).innerText);

/** By itself puppeteer looks at every frame, which keeps a core busy. */
const LOOK_MS = 50;

/** Waits until an expression holds in the page. */
export async function holds(page: Page, expression: string): Promise<void> {
  await page.waitForFunction(expression, { timeout: DEADLINE_MS, polling: LOOK_MS });
}

/** Waits until there is a page and nothing in it is loading. */
export const isShown = (page: Page): Promise<void> =>
  holds(
    page,
    `document.querySelector("main")?.childElementCount > 0 && document.querySelector("main .loading") === null`,
  );

/** Waits until nothing in the page matches a selector. */
export const isGone = (page: Page, selector: string): Promise<void> =>
  holds(page, `document.querySelector(${JSON.stringify(selector)}) === null`);

/** Waits until the page shows a text. */
export async function shows(page: Page, text: string | RegExp): Promise<void> {
  const pattern = typeof text === "string" ? text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") : text.source;
  await holds(page, `new RegExp(${JSON.stringify(pattern)}).test(document.body.innerText)`).catch(
    async (cause) => {
      throw new Error(`the page does not show ${pattern}, but: ${await textOf(page)}`, { cause });
    },
  );
}

/** Presses the button or link with these words, the first one within `place`, once it stays in its place. */
export async function press(page: Page, words: string, place = "body"): Promise<void> {
  const selector = `${place} ::-p-xpath(.//*[self::button or self::a][normalize-space()=${JSON.stringify(words)}])`;
  await page.locator(selector).setTimeout(DEADLINE_MS).click();
}

/**
 * Follows the first link of the first row. Not by its position, which moves while content above the table is
 * still loading.
 */
export async function followFirstRow(page: Page): Promise<void> {
  const link = await page.waitForSelector("tbody tr a");
  await link?.evaluate((one) => (one as unknown as { click(): void }).click());
}

/** Gives the reason in the dialog that is open, and confirms. Waits until it is done with. */
export async function giveReason(page: Page, reason: string): Promise<void> {
  const field = await page.waitForSelector("dialog[open] textarea");
  await field?.type(reason);
  await page.click("dialog[open] button[type=submit]");
  await isGone(page, "dialog[open]");
}

/** What the test does with a request of the page to the console. */
export type Fate = "pass" | "hold" | { readonly status: number; readonly body: object };

/** The requests of a page, which all pass until the test decides otherwise. */
export class Questions {
  readonly #held: HTTPRequest[] = [];
  #fateOf: (route: string) => Fate = () => "pass";

  /** Call it only once for a page. */
  static async intercept(page: Page): Promise<Questions> {
    const questions = new Questions();
    await page.setRequestInterception(true);
    page.on("request", (request) => questions.#meet(request));
    return questions;
  }

  /** Sets the fate of all requests from now on, by their routes, such as `publisher.v1/webhook/list`. */
  decide(fateOf: (route: string) => Fate): void {
    this.#fateOf = fateOf;
  }

  /** Lets all requests pass, including held ones. */
  release(): void {
    this.#fateOf = () => "pass";
    for (const request of this.#held.splice(0)) request.continue().catch(ignoreGone);
  }

  #meet(request: HTTPRequest): void {
    const [, route] = /\/api\/(.*)$/.exec(request.url()) ?? [];
    const fate = route === undefined ? "pass" : this.#fateOf(route);
    if (fate === "hold") {
      this.#held.push(request);
      return;
    }
    const done =
      fate === "pass"
        ? request.continue()
        : request.respond({
            status: fate.status,
            contentType: "application/json",
            body: JSON.stringify(fate.body),
          });
    done.catch(ignoreGone);
  }
}

/** The page has given the request up, because it shows something else by now. */
function ignoreGone(): void {}

/** The answer of the console to a request that it refuses or cannot serve. */
export function refusal(status: number, code: string, message: string): Fate {
  return { status, body: { error: { code, message, data: {}, trace_id: "0".repeat(32) } } };
}
