/**
 * What the simulcast bench compares with, a process of its own: bare `node:http` that reads a body, verifies its HMAC
 * and answers.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const secret = process.argv[2] ?? '';
const ANSWER = '{"success":true}';

function isGenuine(timestamp: string, signature: string, body: Buffer): boolean {
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > 300) return false;
  const wanted = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
  const given = Buffer.from(signature.slice('sha256='.length), 'hex');
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    const { 'x-timestamp': timestamp, 'x-signature': signature } = request.headers;
    const genuine = isGenuine(String(timestamp), String(signature), body);
    response.writeHead(genuine ? 200 : 401, {
      'content-type': 'application/json',
      'content-length': ANSWER.length,
    });
    response.end(ANSWER);
  });
});
server.listen(0, '127.0.0.1', () =>
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
);
process.on('disconnect', () => process.exit(0));
