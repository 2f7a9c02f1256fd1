import { get } from "node:http";

const ANSWER_MS = 5_000;

/**
 * The text that an operations endpoint answers, whatever its status. Not with `fetch`, which refuses some
 * ports that a server may well have, such as 6000. Rejects with the socket's error, or `ETIMEDOUT`.
 * @param answerMs how long the other side may be silent
 */
export function getText(url: string, answerMs = ANSWER_MS): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, timeout: answerMs }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.once("end", () => resolve(text));
      response.once("error", reject);
    });
    request.once("timeout", () => {
      request.destroy(Object.assign(new Error("no answer"), { code: "ETIMEDOUT" }));
    });
    request.once("error", reject);
  });
}
