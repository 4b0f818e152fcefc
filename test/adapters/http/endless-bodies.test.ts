import { connect } from 'node:net';
import { expect } from 'chai';
import { MAX_DISCARDED_BYTES } from '../../../adapters/http/rest-of-body.ts';
import { type Running, serve } from './server-fixture.ts';
import { testEndpoints } from './test-endpoints.ts';

const BID = 'POST /api/v1/lots/7/bids HTTP/1.1\r\nHost: x\r\n';
const JSON_TYPE = 'Content-Type: application/json\r\n';
const WRITER = 'Authorization: Bearer writer\r\n';
const PREFLIGHT = 'Origin: http://a\r\nAccess-Control-Request-Method: POST\r\n';
const CHUNK = Buffer.alloc(64 * 1_024, 0x20);
/** What the sockets' buffers may hold on both sides. */
const ON_THE_WAY = 32 * 1_024 * 1_024;

/** The head of a request and the status of its answer; its body never ends. */
const REQUESTS: readonly (readonly [name: string, head: string, status: string | number])[] = [
  ['without a token', `${BID}${JSON_TYPE}`, 401],
  ['without the ability', `${BID}${JSON_TYPE}Authorization: Bearer reader\r\n`, 403],
  ['of another type', `${BID}${WRITER}Content-Type: text/plain\r\n`, '41[35]'],
  ['that is too large', `${BID}${WRITER}${JSON_TYPE}`, 413],
  ['to nowhere', 'POST /nowhere HTTP/1.1\r\nHost: x\r\n', 404],
  ['with another method', 'PUT /api/v1/lots/7/bids HTTP/1.1\r\nHost: x\r\n', 405],
  ['that wants no body', 'GET /api/v1/lots/7 HTTP/1.1\r\nHost: x\r\n', 200],
  ['whose answer has none', 'HEAD /api/v1/lots/7 HTTP/1.1\r\nHost: x\r\n', 200],
  ['that asks for options', 'OPTIONS /api/v1/lots/7 HTTP/1.1\r\nHost: x\r\n', 204],
  ['that is a preflight', `OPTIONS /api/v1/lots/7 HTTP/1.1\r\nHost: x\r\n${PREFLIGHT}`, 204],
  ['whose answer never ends either', 'GET /api/v1/stream HTTP/1.1\r\nHost: x\r\n', 200],
];

const FRAMINGS = [
  { name: 'its length', header: 'Content-Length: 100000000000\r\n\r\n', frame: CHUNK },
  {
    name: 'chunks',
    header: 'Transfer-Encoding: chunked\r\n\r\n',
    frame: Buffer.concat([Buffer.from('10000\r\n'), CHUNK, Buffer.from('\r\n')]),
  },
];

/** Sends a body until the server cuts it off or `most` bytes are gone. Gives the answer, and which of the two it was. */
function pour(
  port: number,
  head: string,
  frame: Buffer,
  most: number,
): Promise<{ answer: string; wasCut: boolean }> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    let wasCut = true;
    const more = (): void => {
      while (!socket.destroyed && socket.bytesWritten < most) if (!socket.write(frame)) return;
      wasCut = false;
      socket.destroy();
    };
    socket.on('connect', () => {
      socket.write(head);
      more();
    });
    socket.on('drain', more);
    socket.on('data', (chunk) => {
      answer += String(chunk);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve({ answer, wasCut }));
  });
}

for (const hot of [true, false]) {
  describe(`an endless body${hot ? '' : ', not of a hot endpoint,'}`, () => {
    let server: Running;
    before(async () => {
      server = await serve(testEndpoints(hot));
    });
    after(() => server.close());

    for (const [name, head, status] of REQUESTS) {
      for (const { name: framing, header, frame } of FRAMINGS) {
        it(`of a request ${name} is cut off behind its answer, by ${framing}`, async () => {
          const most = MAX_DISCARDED_BYTES + ON_THE_WAY;
          const poured = await pour(server.port, `${head}${header}`, frame, most);
          expect(poured.answer).to.match(new RegExp(`^HTTP/1\\.1 ${status} `));
          expect(poured.wasCut).to.equal(true);
        });
      }
    }
  });
}
