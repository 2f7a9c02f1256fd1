import { ApiError, LIMITS } from "#contract";
import type { ApiOptions, AuthenticationFault, TokenAttempt, TokenFault } from "./api.ts";
import type { HttpRequest } from "./server.ts";

const BEARER = /^Bearer +([!-~]+)$/i;
const UNAUTHENTICATED = "the token is missing, malformed, unknown, revoked or expired";

/** Why a request has no caller. */
export class NoCaller {
  readonly refusal: ApiError;
  /** The fault of its token; undefined: the token was not checked. */
  readonly fault: AuthenticationFault | undefined;

  constructor(refusal: ApiError, fault?: AuthenticationFault) {
    this.refusal = refusal;
    this.fault = fault;
  }
}

/**
 * Finds the callers of tokens. Made-up tokens can occupy neither the memory for bodies nor all look-ups: see
 * `FailureLimit`.
 */
export class CallerLookUps<Caller extends object> {
  readonly #options: Pick<ApiOptions<Caller>, "authenticate" | "looksRight" | "failures">;
  #waiting = 0;

  constructor(options: Pick<ApiOptions<Caller>, "authenticate" | "looksRight" | "failures">) {
    this.#options = options;
  }

  /** The token of a request, if it has the right form. */
  tokenOf(request: HttpRequest): string | NoCaller {
    const { looksRight, failures } = this.#options;
    const given = request.header("authorization") ?? "";
    const token = BEARER.exec(given)?.[1];
    if (token === undefined) return refused(given === "" ? "missing" : "malformed");
    if (looksRight(token)) return token;
    const attempt = failures?.begin(request, token);
    const slowed = attempt?.refusal ?? attempt?.end("wrong");
    return slowed === undefined ? refused("malformed") : new NoCaller(slowed);
  }

  /** Rejects with the fault of a look-up that had no answer. */
  find(request: HttpRequest, token: string): Caller | NoCaller | Promise<Caller | NoCaller> {
    const { failures, authenticate } = this.#options;
    const attempt = failures?.begin(request, token);
    if (attempt?.refusal !== undefined) return new NoCaller(attempt.refusal);
    if (attempt !== undefined) return this.#lookUp(token, attempt);
    const found = authenticate(token);
    if (found instanceof Promise) return found.then((later) => this.#judge(token, later));
    return this.#judge(token, found);
  }

  /** For a token that was valid recently. */
  #judge(token: string, found: Caller | TokenFault): Caller | NoCaller {
    if (typeof found !== "string") return found;
    this.#options.failures?.forget(token);
    return refused(found);
  }

  async #lookUp(token: string, attempt: TokenAttempt): Promise<Caller | NoCaller> {
    if (this.#waiting >= LIMITS.tokenLookUps) {
      attempt.end("unknown");
      const message = "too many tokens are being looked up; nothing was accepted";
      return new NoCaller(new ApiError("unavailable", message, {}, 1));
    }
    this.#waiting++;
    try {
      if (attempt.turn !== undefined) await attempt.turn;
      const found = await this.#options.authenticate(token);
      if (typeof found !== "string") {
        attempt.end("right");
        return found;
      }
      const slowed = attempt.end("wrong");
      return slowed === undefined ? refused(found) : new NoCaller(slowed);
    } catch (error) {
      attempt.end("unknown");
      throw error;
    } finally {
      this.#waiting--;
    }
  }
}

function refused(fault: AuthenticationFault): NoCaller {
  return new NoCaller(new ApiError("authentication_error", UNAUTHENTICATED), fault);
}
