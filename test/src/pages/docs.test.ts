/** The developers' pages: every piece of code on them is run as it is printed, and every example fits its schema. */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import { freePort } from '../../../adapters/embedded/ports.ts';
import { newWebhookSecret, signedHeaders, signingKey } from '../../../adapters/webhooks/signature.ts';
import { addPlatform } from '../../../src/bidding/simulcast/platform-registry.ts';
import { exampleOf, type Json } from '../../../src/pages/developers/example-values.ts';
import { GUIDES } from '../../../src/pages/developers/guides.pages.ts';
import { workedExamples } from '../../../src/pages/developers/worked-examples.ts';
import { aLot, anAuction, aTeam, aUser } from '../../support/builders.ts';
import { codeOfPage, decoded } from '../../support/page-code.ts';
import { type JsonValue, type Service, startService } from '../../support/service.ts';

const run = promisify(execFile);
const TSX = pathToFileURL(join(process.cwd(), 'node_modules/tsx/dist/loader.mjs')).href;

describe('The developers’ pages', () => {
  let service: Service;
  let folder: string;
  let token: string;
  const shown = new Map<string, string>();
  const ran = new Set<string>();

  before(async () => {
    service = await startService({ env: { WEBHOOK_ALLOW_LOOPBACK: '1' } });
    folder = await mkdtemp(join(tmpdir(), 'rostrum-docs-'));
    const admin = await aUser(service.database, { is_admin: true, verified: true });
    token = await service.tokenFor(admin, ['read', 'write', 'seller', 'admin']);
    for (const [path] of GUIDES) {
      for (const [name, code] of codeOfPage((await service.get(path)).text)) shown.set(name, code);
    }
  });
  after(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** A file with the code exactly as the page prints it, and what runs it. */
  async function written(name: string): Promise<[command: string, args: string[]]> {
    const code = shown.get(name);
    if (code === undefined) throw new Error(`no page prints ${name}`);
    ran.add(name);
    // In an empty folder, and under the name that the page prints.
    const file = join(await mkdtemp(join(folder, 'empty-')), name);
    await writeFile(file, code);
    if (name.endsWith('.ts')) return [process.execPath, ['--import', TSX, file]];
    return name.endsWith('.py') ? ['python3', [file]] : ['bash', ['-eu', file]];
  }

  async function output(name: string, env: Record<string, string> = {}): Promise<string> {
    const [command, args] = await written(name);
    const given = { PATH: process.env['PATH'] ?? '', ROSTRUM_URL: service.url, ROSTRUM_TOKEN: token, ...env };
    return (await run(command, args, { cwd: folder, env: given })).stdout;
  }

  async function withPython(test: Mocha.Context): Promise<void> {
    const there = await run('python3', ['--version']).then(
      () => true,
      () => false,
    );
    // Without Python on the machine its examples cannot be run.
    if (!there) test.skip();
  }

  it('lead to each other from one page', async () => {
    const { text } = await service.get('/docs');
    for (const [path] of GUIDES) expect(text).to.contain(`href="${path}"`);
  });

  it('quick start: curl places one bid, although it is sent twice', async () => {
    const lot = await aLot(service.database);
    await service.publish();
    const said = await output('quick-start.sh');
    expect(said)
      .to.contain('takes 100.00 or more')
      .and.to.match(/idempotency-replayed: true/i);
    const { body } = await service.get(`/api/v1/lots/${lot.id}/bids`);
    expect(body.data).to.have.length(1);
    await service.database.knex('lots').where('id', lot.id).update({ status: 'withdrawn' });
  });

  it('quick start: TypeScript bids and watches', async () => {
    const lot = await aLot(service.database);
    await service.publish();
    // Lists are cached for a moment.
    const first = async () => (await service.get('/api/v1/lots?per_page=1')).body.data.data[0]?.id;
    while ((await first()) !== lot.id) await sleep(100);
    const said = await output('quick-start.ts');
    expect(said)
      .to.contain('takes 100.00 or more')
      .and.to.match(/leading at 100\.00, receipt [0-9a-f]{64}/);
    expect(said).to.contain('event: lot.snapshot');
  });

  for (const name of ['verify-webhook.ts', 'verify-webhook.py']) {
    it(`${name} takes what we sign, once, and nothing else`, async function () {
      if (name.endsWith('.py')) await withPython(this);
      const secret = newWebhookSecret();
      const port = await freePort();
      const [command, args] = await written(name);
      const env = { PATH: process.env['PATH'] ?? '', WEBHOOK_SECRET: secret, PORT: String(port) };
      const child = spawn(command, args, { cwd: folder, env });
      let said = '';
      child.stdout.on('data', (part) => {
        said += String(part);
      });
      try {
        while (!said.includes('listening')) await new Promise((done) => setTimeout(done, 20));
        const body = JSON.stringify({
          type: 'lot.sold',
          timestamp: 'now',
          data: { lot_id: 7, title: 'Tür' },
        });
        const send = (headers: Record<string, string>, what = body) =>
          fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: what }).then(
            ({ status }) => status,
          );
        const right = signedHeaders([signingKey(secret)], 'evt_1', Date.now(), body);
        const rotated = signedHeaders(
          [signingKey(newWebhookSecret()), signingKey(secret)],
          'evt_2',
          Date.now(),
          body,
        );
        expect(await send(right)).to.equal(204);
        expect(await send(right)).to.equal(204);
        expect(await send(rotated)).to.equal(204);
        expect(await send(right, body.replace('7', '8'))).to.equal(401);
        expect(await send(signedHeaders([signingKey(newWebhookSecret())], 'e', Date.now(), body))).to.equal(
          401,
        );
        expect(await send(signedHeaders([signingKey(secret)], 'e', Date.now() - 301_000, body))).to.equal(
          401,
        );
        expect(await send({})).to.equal(401);
        expect(said.match(/lot\.sold/g)).to.have.length(2);
      } finally {
        child.kill();
      }
    });
  }

  for (const name of ['sign-simulcast.ts', 'sign-simulcast.py']) {
    it(`${name} sells a lot from the floor`, async function () {
      if (name.endsWith('.py')) await withPython(this);
      const { database, config } = service;
      const platform = name.endsWith('.py') ? 'hall-py' : 'hall-ts';
      const { secret } = await addPlatform(database.knex, config.appSecrets, platform);
      const team = await aTeam(database);
      const auction = await anAuction(database, { team_id: team.id, type: 'simulcast' });
      await database
        .knex('auctions')
        .where('id', auction.id)
        .update({ simulcast_platforms: [platform] });
      const lot = await aLot(database, { auction_id: auction.id });
      await service.publish();
      const said = await output(name, { PLATFORM: platform, PLATFORM_SECRET: secret, LOT: String(lot.id) });
      expect(said.trim().split('\n')).to.deep.equal(['200 applied', '200 applied']);
      const wrong = await output(name, { PLATFORM: platform, PLATFORM_SECRET: 'wrong', LOT: String(lot.id) });
      expect(wrong).to.contain('401 The signature is missing, wrong or too old.');
    });
  }

  it('the journal is checked by hand and by the verifier', async () => {
    const lot = await aLot(service.database);
    await service.publish();
    const bidder = await service.tokenFor(await aUser(service.database));
    for (const amount of ['100.00', '120.00', '150.00'])
      await service.call('POST', `/api/v1/lots/${lot.id}/bids`, { token: bidder, body: { amount } });
    const env = { LOT: String(lot.id) };
    expect(await output('check-chain.ts', env)).to.match(
      /^\d entries, all in order; the last one is [0-9a-f]{64}/,
    );
    expect(await output('check-journal.sh', env)).to.contain(String(lot.id));
  });

  it('a webhook is created as the guide says', async () => {
    const answer = JSON.parse(await output('create-webhook.sh'));
    expect(answer.data.secret).to.match(/^whsec_/);
  });

  it('print no code that is not run here', () => {
    // The clients' test runs theirs, with what it has packed.
    const ofClients = ['client.ts', 'client.py', 'client-webhook.ts', 'client-webhook.py'];
    expect([...shown.keys()].filter((name) => !ran.has(name))).to.have.members(ofClients);
  });

  it('quick start: curl shows why a request was refused', async () => {
    const failed = await output('quick-start.sh', { ROSTRUM_TOKEN: 'rst_none' }).catch((error) => error);
    expect(failed.code).to.equal(1);
    expect(failed.stderr).to.contain('"code":"unauthenticated"').and.to.contain('A valid token is required.');
  });

  it('show bidding rules as the engine decides them', async () => {
    const { text } = await service.get('/docs/bidding-rules');
    const plain = decoded(text.replaceAll(/<[^>]+>/g, ' '));
    for (const { title, rows } of workedExamples()) {
      expect(plain).to.contain(title);
      for (const { answer, does } of rows) expect(plain).to.contain(answer).and.to.contain(does);
    }
    const tie = workedExamples().find(({ title }) => title === 'A tie');
    expect(tie?.rows.at(-1)).to.include({ answer: 'outbid', currentCents: 50_000, leader: 'Ann' });
  });

  it('order refusals as docs/rules.md does', async () => {
    const [, order = ''] = /is the answer: (.*?)\n\n/s.exec(await readFile('docs/rules.md', 'utf8')) ?? [];
    const codes = [...order.matchAll(/`([a-z_]+)`/g)].map(([, code]) => code);
    expect(codes.length).to.be.above(12);
    const { text } = await service.get('/docs/bidding-rules');
    const shown = text.slice(text.indexOf('Which refusal comes first'));
    expect([...shown.matchAll(/<code>([a-z_]+)<\/code>/g)].map(([, code]) => code)).to.deep.equal(codes);
  });

  it('name every code of the API', async () => {
    const { text } = await service.get('/docs/errors');
    const document = JSON.stringify(service.web.app.document);
    const codes = new Set([...document.matchAll(/- `([a-z_]+)`: /g)].map(([, code = '']) => code));
    expect(codes.size).to.be.above(30);
    for (const code of codes) expect(text).to.contain(`<tr id="${code}">`);
  });

  it('make an example of each answer and body that fits its schema', () => {
    const document = service.web.app.document as JsonValue;
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema({ $id: 'api', ...document });
    const resolved = (schema: Json): Json =>
      typeof schema['$ref'] === 'string'
        ? (schema['$ref']
            .slice(2)
            .split('/')
            .reduce((value: JsonValue, key) => value[key], document) as Json)
        : schema;
    const wrong: string[] = [];
    let checked = 0;
    for (const [path, item] of Object.entries<JsonValue>(document.paths)) {
      for (const [method, operation] of Object.entries<JsonValue>(item)) {
        const answers = Object.entries<JsonValue>(operation.responses).filter(([status]) =>
          status.startsWith('2'),
        );
        const contents = [
          ...answers.map(([, answer]) => [answer.content, true]),
          [operation.requestBody?.content, false],
        ];
        for (const [content, whole] of contents) {
          const schema = content?.['application/json']?.schema;
          if (schema === undefined) continue;
          checked += 1;
          const check = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')));
          if (!check(exampleOf(schema, '', { resolved, whole })))
            wrong.push(`${method} ${path}: ${ajv.errorsText(check.errors)}`);
        }
      }
    }
    expect(wrong).to.deep.equal([]);
    expect(checked).to.be.above(100);
  });

  it('take every example of the reference as printed', async () => {
    const { text } = await service.get('/docs/api');
    const examples = [...text.matchAll(/data-curl="([^"]+)"><code>([^<]*)</g)];
    expect(examples.length).to.be.above(100);
    await writeFile(join(folder, 'photo.jpg'), 'no picture');
    const wrapper = `curl() { command curl -s --max-time "$([ $NAME = streamLot ] && echo 1 || echo 10)" -o /dev/null -w "$NAME %{http_code}\\n" "$@" || true; }`;
    const lines = examples.map(([, name = '', code = '']) => `NAME=${name}\n${decoded(code)}`);
    await writeFile(join(folder, 'reference.sh'), [wrapper, ...lines].join('\n'));
    const env = { PATH: process.env['PATH'] ?? '', ROSTRUM_URL: service.url, ROSTRUM_TOKEN: token };
    const { stdout } = await run('bash', [join(folder, 'reference.sh')], { cwd: folder, env });
    const answered = stdout.trim().split('\n');
    expect(answered).to.have.length(examples.length);
    // These name what is not there in their bodies, or a password that is not the caller's; that one needs the
    // provider's signature.
    const expected = [
      'changeEmailAddress 422',
      'convertInventoryToLots 422',
      'createConsignorLink 422',
      'createSellerLot 422',
      'subscribe 422',
      'receivePaymentEvent 401',
    ];
    const refused = answered.filter((line) => /(400|401|405|415|422|5\d\d|000)$/.test(line));
    expect(refused.filter((line) => !expected.includes(line))).to.deep.equal([]);
  });

  it('find operations by what they are called, without JavaScript', async () => {
    const { text } = await service.get('/docs/api?q=journal%20LOT');
    expect(text).to.contain('id="readJournal"').and.not.to.contain('id="listCategories"');
    expect((await service.get('/docs/api?q=%3Cscript%3E')).text).to.contain(
      '0 operations found for “&lt;script&gt;”',
    );
  });
});
