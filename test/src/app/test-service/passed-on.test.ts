/** Where requests with test tokens go: to the test service, whatever address they name. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { createToken } from '../../../../src/accounts/tokens/tokens.ts';
import { aUser } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';

const SECRET = 'the-secret-of-the-test-service';

describe('a request with a test token', () => {
  let tests: Service;
  let real: Service;
  let token: string;
  const elsewhere: string[] = [];
  const stranger = createServer((request, response) => {
    elsewhere.push(`${request.url} ${request.headers.authorization}`);
    response.end('elsewhere');
  });

  before(async () => {
    tests = await startService({ env: { TEST_SERVICE_SECRET: SECRET, TRUST_PROXY: '127.0.0.1' } });
    real = await startService({ env: { TEST_SERVICE_SECRET: SECRET, TEST_SERVICE_URL: tests.url } });
    stranger.listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const { email } = await aUser(real.database);
    ({ token } = await createToken(real.database.knex, { email, abilities: ['read'], kind: 'test' }));
  });
  after(async () => {
    stranger.close();
    await real?.close();
    await tests?.close();
  });

  it('goes to no host that it names itself, in whatever form', async () => {
    const host = `127.0.0.1:${(stranger.address() as AddressInfo).port}`;
    const forms = [
      `http://${host}/api/v1/me`,
      `/\\${host}/x`,
      `//${host}/x`,
      `/\\/${host}/x`,
      `\\\\${host}/x`,
    ];
    const answers = [];
    for (const form of [...forms, `http:${host}/x`, `@${host}/x`, `:80@${host}/x`]) {
      const socket = connect(Number(new URL(real.url).port), '127.0.0.1');
      socket.write(
        `GET ${form} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
      );
      answers.push(await text(socket));
    }
    expect(elsewhere).to.deep.equal([]);
    expect(answers[0], 'its path counts').to.match(/^HTTP\/1\.1 200 /);
    for (const answer of answers.slice(1)) expect(answer).to.match(/^HTTP\/1\.1 (400|404|503) /);
  });
});
