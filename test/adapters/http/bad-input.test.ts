import { expect } from 'chai';
import { type Answer, call, type Running, raw, serve } from './server-fixture.ts';
import { testEndpoints } from './test-endpoints.ts';

const BID = '/api/v1/lots/7/bids';

for (const hot of [true, false]) {
  describe(`bad input on ${hot ? 'hot' : 'ordinary'} routes`, () => {
    let server: Running;
    before(async () => {
      server = await serve(testEndpoints(hot));
    });
    after(() => server.close());
    afterEach(() => expect(server.logged).to.deep.equal([]));

    const bid = (text: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> =>
      call(server.url + BID, {
        token: 'writer',
        text,
        headers: { 'Content-Type': 'application/json', ...headers },
      });

    async function refused(
      answer: Answer | Promise<Answer>,
      status: number,
      code: string | null,
    ): Promise<Answer> {
      const given = await answer;
      expect(given.status, given.text).to.equal(status);
      expect(given.body).to.include({ success: false });
      expect((given.body as { code?: string }).code ?? null).to.equal(code);
      expect((given.body as { message: string }).message).to.be.a('string').that.is.not.empty;
      expect(given.headers.get('x-request-id')).to.be.a('string');
      return given;
    }

    const fieldOf = async (text: string): Promise<unknown> =>
      ((await refused(bid(text), 422, 'validation_failed')).body as { errors: unknown }).errors;

    it('names every wrong field in words', async () => {
      expect(
        await fieldOf('{"amount":"1e3","confirm":"yes","extra":1,"location":{"town":"x"}}'),
      ).to.deep.equal({
        amount: ['The amount must have two decimals.'],
        confirm: ['The confirm field must be true or false.'],
        extra: ['The extra field is not recognized.'],
        'location.city': ['The city field is required.'],
        'location.town': ['The town field is not recognized.'],
      });
      expect(await fieldOf('{}')).to.deep.equal({ amount: ['The amount field is required.'] });
      expect(await fieldOf('[]')).to.deep.equal({ body: ['The body field must be an object.'] });
      expect(await fieldOf('null')).to.deep.equal({ body: ['The body field must be an object.'] });
    });

    it('refuses fields that reach for a prototype, and stays as it was', async () => {
      for (const name of ['__proto__', 'constructor', 'prototype', 'toString', '\\u005f_proto__']) {
        const errors = (await fieldOf(`{"amount":"1.00","${name}":{"polluted":true}}`)) as object;
        expect(Object.keys(errors), name).to.have.length(1);
      }
      expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
      expect(await fieldOf('{"amount":"1.00","location":{"city":"x","__proto__":{}}}')).to.have.property(
        'location.__proto__',
      );
    });

    it('refuses NUL characters and halves of pairs', async () => {
      expect(await fieldOf('{"amount":"1.00","note":"a\\u0000b"}')).to.have.property('note');
      expect(await fieldOf('{"amount":"1.00","note":"\\ud800"}')).to.have.property('note');
      expect(await fieldOf('{"amount":"1.00","a\\u0000":1}')).to.have.property('body');
      expect((await bid('{"amount":"1.00","note":"\\u00e9 \\ud83d\\ude00"}')).status).to.equal(201);
      expect((await bid('{"amount":"1.00","note":"\uFFFD"}')).status).to.equal(201);
    });

    it('answers malformed JSON with 400', async () => {
      for (const text of [
        '{',
        '{"amount":}',
        'NaN',
        '{"amount":"1.00"}x',
        "{'amount':1}",
        '{"a":"\u0001"}',
        ' ',
      ]) {
        await refused(bid(text), 400, 'malformed_json');
      }
      await refused(
        bid(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])),
        400,
        'malformed_json',
      );
      await refused(call(server.url + BID, { method: 'POST', token: 'writer' }), 400, 'malformed_json');
    });

    it('survives JSON nested 10,000 deep', async () => {
      await refused(bid(`${'['.repeat(10_000)}${']'.repeat(10_000)}`), 422, 'validation_failed');
      await refused(bid(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`), 422, 'validation_failed');
      await refused(bid(`{"amount":"1.00","note":"${'['.repeat(300)}"}`), 422, 'validation_failed');
    });

    it('answers a body over 1 MiB with 413, with and without its length', async () => {
      const large = `{"amount":"${'1'.repeat(2 * 1024 * 1024)}"}`;
      await refused(bid(large), 413, 'payload_too_large');
      const chunk = 'x'.repeat(64 * 1024);
      const head = `POST ${BID} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer writer\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
      const chunked = `${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(20);
      const answer = await raw(server.port, `${head}${chunked}0\r\n\r\n`);
      expect(answer).to.match(/^HTTP\/1\.1 413 /);
      expect(answer).to.include('payload_too_large');
      expect((await bid(`{"amount":"1.00"${' '.repeat(1024 * 1024 - 17)}}`)).status).to.equal(201);
    });

    it('answers another content type with 415', async () => {
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/jsonp',
        'application/json; charset=latin1',
      ]) {
        await refused(bid('{"amount":"1.00"}', { 'Content-Type': type }), 415, 'unsupported_media_type');
      }
      await refused(bid('{"amount":"1.00"}', { 'Content-Encoding': 'gzip' }), 415, 'unsupported_media_type');
      expect(
        (await bid('{"amount":"1.00"}', { 'Content-Type': 'Application/JSON; charset="UTF-8"' })).status,
      ).to.equal(201);
    });

    it('checks headers', async () => {
      for (const key of ['k'.repeat(256), 'a b', 'é']) {
        const answer = await refused(
          bid('{"amount":"1.00"}', { 'Idempotency-Key': key }),
          422,
          'validation_failed',
        );
        expect(answer.body).to.have.nested.property('errors.idempotency_key');
      }
      expect((await bid('{"amount":"1.00"}', { 'Idempotency-Key': 'k'.repeat(255) })).status).to.equal(201);
    });

    it('answers a path that cannot be an id with 404, before the body is checked', async () => {
      for (const id of [
        'x',
        '0',
        '-1',
        '1.5',
        '1e3',
        '0x10',
        '9'.repeat(19),
        '%00',
        '%zz',
        '07',
        '7%2f8',
        '..%2f7',
        '+7',
      ]) {
        await refused(call(`${server.url}/api/v1/lots/${id}`), 404, null);
        const sent = { token: 'writer', text: '{', headers: { 'Content-Type': 'text/plain' } };
        await refused(call(`${server.url}/api/v1/lots/${id}/bids`, sent), 404, null);
      }
    });

    it('never ignores a query parameter', async () => {
      const cases: [string, string][] = [
        ['per_page=0', 'per_page'],
        ['per_page=-1', 'per_page'],
        ['per_page=1e9', 'per_page'],
        ['per_page=abc', 'per_page'],
        ['per_page=1.5', 'per_page'],
        ['per_page=', 'per_page'],
        ['per_page=101', 'per_page'],
        ['page=9223372036854775808', 'page'],
        ['page=%31%20', 'page'],
        ['page=1&page=2', 'page'],
        ['sort_by=id%3B+DROP+TABLE+lots', 'sort_by'],
        ['search=a%00b', 'search'],
        ['search=%ff', 'search'],
        [`search=${'x'.repeat(10_000)}`, 'search'],
        ['water_access=maybe', 'water_access'],
        ['min_acres=NaN', 'min_acres'],
        ['nonsense=1', 'nonsense'],
        ['page[]=1', 'page[]'],
        ['__proto__=1', '__proto__'],
        ['constructor=1', 'constructor'],
      ];
      for (const [query, field] of cases) {
        const answer = await refused(call(`${server.url}/api/v1/lots?${query}`), 422, 'validation_failed');
        expect(Object.keys((answer.body as { errors: object }).errors), query).to.deep.equal([field]);
      }
      const many = Array.from({ length: 500 }, (_, at) => `p${at}=1`).join('&');
      await refused(call(`${server.url}/api/v1/lots?${many}`), 422, 'validation_failed');
    });

    it('parses valid parameters by their types', async () => {
      const query = 'page=2&per_page=5&water_access=1&min_acres=1.5&search=a+%25%5C%27b&sort_by=id';
      const answer = await call(`${server.url}/api/v1/lots?${query}`);
      expect(answer.body).to.have.nested.property('data.current_page', 2);
      expect(answer.body)
        .to.have.nested.property('data.data[0]')
        .that.deep.equals({ water_access: true, min_acres: 1.5, search: "a %\\'b", sort_by: 'id' });
      const next = (answer.body as { data: { next_page_url: string } }).data.next_page_url;
      expect(next).to.match(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1\/lots\?page=3&per_page=5&/);
      expect((await call(next)).body).to.have.nested.property('data.data[0].search', "a %\\'b");
    });

    it('takes no body where none is wanted, and an empty one', async () => {
      const url = `${server.url}/api/v1/lots/7/watchlist`;
      const remove = (text?: string) =>
        call(url, {
          method: 'DELETE',
          text,
          headers: text === undefined ? {} : { 'Content-Type': 'application/json' },
        });
      expect((await remove()).status).to.equal(200);
      expect((await remove('{}')).status).to.equal(200);
      await refused(remove('{"a":1}'), 422, 'validation_failed');
      await refused(remove('{'), 400, 'malformed_json');
    });
  });
}

describe('requests that are not HTTP', () => {
  let server: Running;
  before(async () => {
    server = await serve(testEndpoints(true));
  });
  after(() => server.close());

  const cases: [string, string, number][] = [
    ['nonsense', 'HELLO\r\n\r\n', 400],
    [
      'a bad chunk length',
      `POST ${BID} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer writer\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
      400,
    ],
    [
      'two ways to say how long',
      `POST ${BID} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    [
      'two lengths',
      `POST ${BID} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde`,
      400,
    ],
    ...(
      [
        ['an encoding that is nearly chunked', 'Transfer-Encoding: xchunked'],
        ['an encoding that ends otherwise', 'Transfer-Encoding: chunked, identity'],
        ['a blank before the colon', 'Transfer-Encoding : chunked'],
        ['a folded header', 'X: a\r\n Transfer-Encoding: chunked'],
        ['a carriage return in a header', 'X: a\rTransfer-Encoding: chunked'],
        ['a line feed alone in a header', 'X: a\nTransfer-Encoding: chunked'],
        ['a length with a sign', 'Content-Length: +5'],
        ['a length with two numbers', 'Content-Length: 5, 6'],
        ['a length in hex', 'Content-Length: 0x5'],
        ['a header without a name', ': chunked'],
        ['a NUL in a header', 'X: a\0b'],
      ] as const
    ).map(([name, line]): [string, string, number] => [
      name,
      `POST ${BID} HTTP/1.1\r\nHost: x\r\n${line}\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`,
      400,
    ]),
    [
      'a chunk extension without end',
      `POST ${BID} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5;${'x'.repeat(40_000)}\r\n`,
      413,
    ],
    ['a negative length', `POST ${BID} HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n`, 400],
    ['no host', 'GET /healthz HTTP/1.1\r\n\r\n', 400],
    ['a header without end', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(40_000)}\r\n\r\n`, 431],
  ];
  for (const [name, bytes, status] of cases) {
    it(`answers ${name} with ${status} and continues`, async () => {
      const answer = await raw(server.port, bytes);
      expect(answer).to.match(new RegExp(`^HTTP/1\\.1 ${status} `));
      // What is behind it is part of no second request.
      expect(answer.match(/HTTP\/1\.1 [0-9]/g)).to.have.length(1);
      expect((await call(`${server.url}/healthz`)).status).to.equal(200);
      expect(server.logged).to.deep.equal([]);
    });
  }

  it('survives a client that leaves in the middle of its body', async () => {
    const head = `POST ${BID} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer writer\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a`;
    const { connect } = await import('node:net');
    await new Promise<void>((resolve) => {
      const socket = connect(server.port, '127.0.0.1', () => {
        socket.write(head);
        setTimeout(() => socket.destroy(), 30);
      });
      socket.on('close', () => resolve());
    });
    expect((await call(`${server.url}/healthz`)).status).to.equal(200);
    expect(server.logged).to.deep.equal([]);
  });
});
