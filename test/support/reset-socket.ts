import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";

/**
 * Ends a connection with a reset, as a crash does. After `end`, it only destroys the socket: libuv would
 * refuse the reset, Node would still consider the socket closed, and at its end the process would wait for it
 * in an endless loop. Node cannot reset TLS either.
 */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded || socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}
