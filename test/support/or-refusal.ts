import { ApiError } from "#contract";

/** For `catch`: a refusal as a value, so that a test can look at it like at a result. */
export function orRefusal(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}
