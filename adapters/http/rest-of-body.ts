/**
 * What is left of a body when its request is answered: a wrong token, a full limit or another type is known before the
 * body has come, and some requests want none. Some of it is read and discarded, so that its sender gets to see the
 * answer; whoever goes on sending is cut off.
 */
import type { IncomingMessage } from 'node:http';

/** More than the largest upload, whose sender may look for the answer only at the end. */
export const MAX_DISCARDED_BYTES = 32 * 1_024 * 1_024;

/** To be called once for each request, when its answer is known. */
export function discardRest(request: IncomingMessage): void {
  if (request.complete) return;
  let discarded = 0;
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > MAX_DISCARDED_BYTES) request.destroy();
  });
}
