/** Fetching what others have named. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { guardedFetch } from '../../../adapters/webhooks/guarded-lookup.ts';

describe('Fetching what others have named', () => {
  let server: Server;
  let url: string;
  before(async () => {
    server = createServer((request, response) => {
      if (request.url === '/moved') response.writeHead(302, { location: '/' }).end();
      else if (request.url === '/large') response.end(Buffer.alloc(2 * 1_024 * 1_024));
      else response.end('here');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  const outcome = async (address: string, allowLoopback: boolean) => {
    const resolve = async () => [{ address: '192.168.0.7', family: 4 as const }];
    try {
      const answer = await guardedFetch({ allowLoopback, resolve })(address);
      return `${answer.status} ${(await answer.text()).length}`;
    } catch (error) {
      const why =
        error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      return why.replace(/^.*(must lead to a public address).*$/, '$1');
    }
  };
  const NOT_PUBLIC = 'must lead to a public address';

  it('reaches no address that is not public, whether it is written so or behind a name', async () => {
    expect(await outcome(url, true)).to.equal('200 4');
    for (const address of [
      'https://private.example.com/',
      'https://10.0.0.1/',
      'https://169.254.169.254/latest/meta-data',
      'https://[::1]/',
      'https://localhost/',
    ])
      expect(await outcome(address, false), address).to.equal(NOT_PUBLIC);
    for (const address of [url, 'http://example.com/', 'file:///etc/passwd'])
      expect(await outcome(address, false), address).to.contain('must begin with https://');
  });

  it('follows nobody elsewhere, and reads no more than it has to', async () => {
    expect(await outcome(`${url}/moved`, true)).to.equal('302 0');
    expect(await outcome(`${url}/large`, true)).to.contain('exceeded max size');
  });
});
