/**
 * The lower bound of the HTTP bench, in a process of its own: `node:http` that parses the same JSON and answers the
 * same bytes, and does nothing else. It is sent the answer that a server of the service gave.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FixedAnswer {
  readonly status: number;
  /** Name, value, name, value, … */
  readonly headers: readonly string[];
  readonly body: string;
}

let answer: FixedAnswer = { status: 503, headers: [], body: '' };

const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  let first: Buffer | null = null;
  request.on('data', (chunk: Buffer) => {
    first = first === null ? chunk : Buffer.concat([first, chunk]);
  });
  request.on('end', () => {
    const bid: unknown = JSON.parse(String(first));
    const { status, headers, body } = answer;
    response.writeHead(typeof bid === 'object' ? status : 400, headers as string[]);
    response.end(body);
  });
});

process.on('message', (given: FixedAnswer) => {
  answer = given;
  process.send?.('taken');
});
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () =>
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
);
