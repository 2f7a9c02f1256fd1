/** The peer of the reads as a process. See bench/README.md. */
import { runPeer } from "../run-peer.ts";
import { startServer } from "./server.ts";

await runPeer(startServer);
