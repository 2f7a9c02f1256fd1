import type { Page } from "puppeteer-core";

/** Fields of answers that hold names or texts by people. */
const NAMED =
  /^(?:name|program_name|description|statement_descriptor|merchant_id|ref|title|summary|terms|url|webhook_url|payment_id|user|subject|reason|external_id|transaction_ref|answer)$/;

/** Names without a place to break, from right to left, and of characters that are several code points each. */
const WILD = [
  "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft".repeat(3),
  "مقهى الركن القديم على ناصية الشارع ‏שלום קפה בפינה ".repeat(4),
  "👩‍👩‍👧‍👦🏳️‍🌈🇸🇪👍🏽".repeat(30),
];

/** Whether the page shows one of them. */
export async function isWild(page: Page): Promise<boolean> {
  const shown = String(await page.evaluate("document.body.innerText"));
  return WILD.some((name) => shown.includes(name.slice(0, 20)));
}

/** From now on every name in the answers that the page gets is one of these in turn. */
export async function nameWildly(page: Page): Promise<void> {
  await page.evaluateOnNewDocument(`(() => {
    const wild = ${JSON.stringify(WILD)};
    const named = new RegExp(${JSON.stringify(NAMED.source)});
    let turn = 0;
    const revive = (key, value) => typeof value === "string" && named.test(key) ? wild[turn++ % wild.length] : value;
    const { text } = Response.prototype;
    Response.prototype.json = async function () {
      // Hops and streams are named by us.
      const isOurs = this.url.endsWith("/api/live");
      return JSON.parse(await text.call(this), isOurs ? undefined : revive);
    };
  })()`);
}
