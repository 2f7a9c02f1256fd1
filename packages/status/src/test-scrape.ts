import { type Labels, Scrape } from "./scrape.ts";

/** For tests: notes the metrics that it is asked for. */
export class NotedScrape extends Scrape {
  readonly asked = new Set<string>();

  override samples(name: string, wanted?: Labels) {
    this.asked.add(name.replace(/_(bucket|sum|count)$/, ""));
    return super.samples(name, wanted);
  }
}
