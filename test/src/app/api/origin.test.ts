import { expect } from 'chai';
import { type Service, startService } from '../../../support/service.ts';

const LIMIT = 3;

describe('Whose limit a request counts against, over HTTP', () => {
  let behind: Service;
  let open: Service;

  before(async () => {
    const env = { RATE_LIMIT_PER_MINUTE: String(LIMIT) };
    [behind, open] = await Promise.all([
      startService({
        env: { ...env, TRUST_PROXY: '127.0.0.1,10.0.0.0/8', SECURITY_CONTACT: 'safe@example.com' },
      }),
      startService({ env }),
    ]);
  });
  after(() => Promise.all([behind.close(), open.close()]));

  const from = async (service: Service, address: string) => {
    const headers = { 'X-Forwarded-For': address };
    const answer = await service.call('GET', '/api/v1/subscription-plans', { headers });
    return answer.status === 429 ? 'refused' : Number(answer.headers.get('x-ratelimit-remaining'));
  };

  it('is the address that a trusted proxy names', async () => {
    for (const left of [2, 1, 0, 'refused']) expect(await from(behind, '192.0.2.7')).to.equal(left);
    expect(await from(behind, '192.0.2.8')).to.equal(2);
  });

  it('is not what a caller puts in front of it', async () => {
    expect(await from(behind, '203.0.113.1, 192.0.2.7')).to.equal('refused');
    expect(await from(behind, '192.0.2.7, 10.1.2.3')).to.equal('refused');
    expect(await from(behind, '192.0.2.7, 192.0.2.9')).to.equal(2);
  });

  it('is one for all addresses of a /64, however they are written', async () => {
    expect(await from(behind, '2001:db8:1:2::1')).to.equal(2);
    expect(await from(behind, '2001:DB8:1:2:ffff:ffff:ffff:ffff')).to.equal(1);
    expect(await from(behind, '2001:0db8:0001:0002::')).to.equal(0);
    expect(await from(behind, '2001:db8:1:2:a::1')).to.equal('refused');
    expect(await from(behind, '2001:db8:1:3::1')).to.equal(2);
    expect(await from(behind, '::ffff:192.0.2.8')).to.equal(1);
  });

  it('is the connection’s own where no proxy is trusted', async () => {
    expect(await from(open, '192.0.2.1')).to.equal(2);
    expect(await from(open, '192.0.2.2')).to.equal(1);
    expect(await from(open, '2001:db8:9::1')).to.equal(0);
    expect(await from(open, '192.0.2.4')).to.equal('refused');
  });

  it('gets Secure cookies wherever the public address is https, whatever a proxy says', async () => {
    for (const [PUBLIC_URL, secure] of [
      ['https://auctions.example.com', true],
      ['http://auctions.example.com', false],
    ] as const) {
      const service = await startService({ env: { PUBLIC_URL, TRUST_PROXY: '127.0.0.1' } });
      const headers = { 'x-forwarded-proto': 'http' };
      const { headers: answered } = await fetch(`${service.url}/sign-in`, { headers });
      const cookies = answered.getSetCookie();
      await service.close();
      expect(cookies).to.not.deep.equal([]);
      for (const cookie of cookies) expect(/; Secure/i.test(cookie), cookie).to.equal(secure);
    }
  });

  it('may report a weakness to the operator’s contact', async () => {
    const text = async ({ url }: Service) => (await fetch(`${url}/.well-known/security.txt`)).text();
    expect(await text(behind)).to.match(/^Contact: mailto:safe@example\.com$/m);
    expect(await text(open)).to.match(/^Contact: mailto:security@127\.0\.0\.1$/m);
  });
});
