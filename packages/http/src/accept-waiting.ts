import { setImmediate as turn } from "node:timers/promises";

/** Turns of the event loop without a new connection before nobody is taken to wait. */
const STILL_TURNS = 3;
/** Of a door that is never still: callers come faster than they are taken. */
const TURNS_MAX = 2_000;

/**
 * Takes the connections that the kernel has accepted and the server has not, before it stops to listen: closing the
 * listening socket resets them, requests and all, and their callers see `ECONNRESET`. uWebSockets.js takes all of them
 * in one turn, Node one in each (measured: of 20 callers at once it took 12 in three turns). What comes between the last
 * turn and the close is all that is left; a load balancer that has looked away sends nothing by then.
 * @param taken connections so far, where the server knows
 */
export async function acceptWaiting(taken: () => number = () => 0): Promise<void> {
  let known = taken();
  for (let turns = 0, still = 0; still < STILL_TURNS && turns < TURNS_MAX; turns++) {
    await turn();
    still = taken() === known ? still + 1 : 0;
    known = taken();
  }
}
