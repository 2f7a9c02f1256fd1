import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";

/**
 * Ends a connection with a reset, as a crash does. If `end` was called, it only destroys the socket: libuv refuses the reset,
 * Node considers the socket closed all the same, and the process, when it ends, waits for it in an endless loop. Node cannot
 * reset TLS either.
 */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded || socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}
