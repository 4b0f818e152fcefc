import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { ResolvedAddress } from '../../../adapters/webhooks/address-guard.ts';
import { WebhookPoster } from '../../../adapters/webhooks/poster.ts';
import { newWebhookSecret, signedHeaders, signingKey } from '../../../adapters/webhooks/signature.ts';

describe('Posting webhooks', () => {
  const servers: Server[] = [];
  const posters: WebhookPoster[] = [];

  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    servers.push(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  function poster(options: Partial<ConstructorParameters<typeof WebhookPoster>[0]> = {}): WebhookPoster {
    const made = new WebhookPoster({ allowLoopback: true, timeoutMs: 300, ...options });
    posters.push(made);
    return made;
  }

  afterEach(async () => {
    await Promise.all(posters.splice(0).map((each) => each.close()));
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  it('signs so that the standard’s library verifies it, with either secret while both hold', async () => {
    const [old, fresh, other] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
    let seen: { headers: Record<string, string>; body: string } | null = null;
    const url = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        seen = { headers: request.headers as Record<string, string>, body };
        response.writeHead(204).end();
      });
    });
    const body = '{"type":"lot.sold","data":{"title":"Größe"}}';
    const headers = signedHeaders([signingKey(fresh), signingKey(old)], 'evt_1', Date.now(), body);
    const result = await poster().post(`${url}/hook?x=1`, headers, body);
    expect(result).to.include({ status: 204, error: null });
    expect(seen!.headers['content-type']).to.equal('application/json');
    for (const secret of [old, fresh]) new Webhook(secret).verify(seen!.body, seen!.headers);
    expect(() => new Webhook(other).verify(seen!.body, seen!.headers)).to.throw(WebhookVerificationError);
    expect(() => new Webhook(fresh).verify(`${seen!.body} `, seen!.headers)).to.throw(
      WebhookVerificationError,
    );
  });

  it('keeps the first KiB of the answer, whatever follows', async () => {
    const url = await serve((_, response) => response.writeHead(500).end(`\0${'ä'.repeat(100_000)}`));
    const { status, responseBody } = await poster().post(url, {}, '{}');
    expect(status).to.equal(500);
    expect(responseBody).to.equal('ä'.repeat(511));
  });

  it('accepts an answer’s status even if its body never ends', async () => {
    const url = await serve((_, response) => response.writeHead(200).write('so far'));
    const { status, responseBody, durationMs } = await poster().post(url, {}, '{}');
    expect({ status, responseBody }).to.deep.equal({ status: 200, responseBody: 'so far' });
    expect(durationMs).to.be.within(250, 3_000);
  });

  it('does not follow redirects', async () => {
    let requests = 0;
    const url = await serve((request, response) => {
      requests += 1;
      response.writeHead(request.url === '/' ? 307 : 200, { location: '/inside' }).end();
    });
    expect((await poster().post(url, {}, '{}')).status).to.equal(307);
    expect(requests).to.equal(1);
  });

  it('gives up on one that hangs, resets or is not there', async () => {
    const hanging = await serve(() => {});
    expect(await poster().post(hanging, {}, '{}')).to.include({
      status: null,
      error: 'no answer within 0.3 s',
    });
    const resetting = await serve((request) => request.socket.destroy());
    const reset = await poster().post(resetting, {}, '{}');
    expect(reset.status).to.equal(null);
    expect(reset.error).to.be.a('string').that.is.not.empty;
    const gone = await poster().post('http://127.0.0.1:1/', {}, '{}');
    expect(gone).to.deep.include({ status: null, responseBody: '' });
  });

  it('checks the address that it dials, at every attempt', async () => {
    const answers: ResolvedAddress[][] = [
      [{ address: '192.0.2.1', family: 4 }],
      [{ address: '127.0.0.1', family: 4 }],
      [
        { address: '10.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ],
      [],
    ];
    const requests: string[] = [];
    const guarded = poster({
      resolve: async (name) => {
        requests.push(name);
        return answers.shift()!;
      },
    });
    for (let at = 0; at < 3; at += 1) {
      const { status, error } = await guarded.post('https://rebinding.example/hook', {}, '{}');
      expect({ status, error }).to.deep.equal({
        status: null,
        error: 'the URL must lead to a public address, and rebinding.example does not',
      });
    }
    expect((await guarded.post('https://rebinding.example/hook', {}, '{}')).error).to.match(/no address/);
    expect(requests).to.deep.equal(Array(4).fill('rebinding.example'));
  });

  it('never dials an address that is written into the URL in a disguise', async () => {
    const strict = poster({ allowLoopback: false });
    for (const url of ['http://127.0.0.1:9/', 'https://2130706433/', 'https://[::ffff:127.0.0.1]/']) {
      const { status, error } = await strict.post(url, {}, '{}');
      expect({ url, status, refused: error?.startsWith('the URL must') }).to.deep.equal({
        url,
        status: null,
        refused: true,
      });
    }
  });
});
