/**
 * The receiver of the deliveries bench, a process of its own: answers 204 and periodically reports to its parent how
 * many came.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const REPORT_MS = 5;

/** Where to, and milliseconds from a delivery's `data.sent_at_ms` until here, of those that have it. */
let delays: [path: string, ms: number][] = [];
let count = 0;

const server = createServer((request, response) => {
  if (request.url === '/hang') return;
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    text += chunk;
  });
  request.on('end', () => {
    count += 1;
    const sent = /"sent_at_ms": ?([0-9.]+)/.exec(text)?.[1];
    if (sent !== undefined) delays.push([request.url ?? '', Date.now() - Number(sent)]);
    response.writeHead(204).end();
  });
});

server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
let reported = 0;
setInterval(() => {
  if (count === reported) return;
  reported = count;
  process.send?.({ count, delays });
  delays = [];
}, REPORT_MS);
process.on('disconnect', () => process.exit(0));
