/** Both clients as somebody gets them: made, packed, put into an empty folder, and run against the service. */
import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freePort } from '../../adapters/embedded/ports.ts';
import { newWebhookSecret, signedHeaders, signingKey } from '../../adapters/webhooks/signature.ts';
import { type MadeClients, makeClients } from '../../clients/make.ts';
import { type Description, operationsOf } from '../../clients/operations.ts';
import { PROJECT_ROOT } from '../../src/shared/project-root.ts';
import { aLot, anAuction, aUser } from '../support/builders.ts';
import { codeOfPage } from '../support/page-code.ts';
import { type Service, startService } from '../support/service.ts';
import { openUnsteadyProxy } from './unsteady-proxy.ts';

const run = promisify(execFile);
const inProject = (...parts: string[]): string => join(PROJECT_ROOT, ...parts);
const HERE = inProject('test', 'clients');

const COMPILER_OPTIONS = {
  target: 'ES2023',
  module: 'NodeNext',
  strict: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  types: ['node'],
};

describe('the clients', () => {
  let service: Service;
  let folder: string;
  let made: MadeClients;
  before(async () => {
    service = await startService();
    folder = await mkdtemp(join(tmpdir(), 'rostrum-clients-'));
    made = await makeClients(service.web.app.document as Description, join(folder, 'made'));
  });
  after(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs a walk over a network that fails, and compares what it saw, and what was sent for it. */
  async function walk(command: string, args: readonly string[], cwd: string): Promise<void> {
    const auction = await anAuction(service.database);
    const lot = await aLot(service.database, { auction_id: auction.id });
    const other = await aLot(service.database, { auction_id: auction.id, buy_now_price_cents: 90_000 });
    expect(other.id).to.equal(lot.id + 1);
    await service.publish();
    const user = await aUser(service.database);
    const proxy = await openUnsteadyProxy(service.url, {
      [`POST /api/v1/lots/${lot.id}/bids`]: ['lost', 'busy', 'lost'],
      [`POST /api/v1/lots/${lot.id}/questions`]: ['lost'],
      [`POST /api/v1/lots/${lot.id}/watchlist`]: ['limited'],
      ['DELETE /api/v1/teams/999999999/follow']: ['lost'],
      [`GET /api/v1/lots/${lot.id}`]: ['busy', 'lost', 'half'],
      [`GET /api/v1/lots/${lot.id}/stream`]: ['busy', 'cut'],
    });
    try {
      const token = await service.tokenFor(user);
      const { stdout } = await run(command, [...args, proxy.url, token, String(lot.id)], {
        cwd,
        timeout: 60_000,
      });
      const { lots, ...seen } = JSON.parse(stdout);
      expect(lots).to.be.at.least(2);
      expect(seen).to.deep.equal({
        email: user.email,
        outcome: 'leading',
        amount: '100.00',
        low: [422, 'bid_too_low', ['current_bid', 'end_time', 'minimum_next_bid'], ['amount']],
        invalid: [422, 'validation_failed', [], ['per_page']],
        unfollowed: true,
        unsafe: [0, null, [], []],
        watched: true,
        bids: ['100.00'],
        raw: true,
        events: ['lot.snapshot', 'bid.placed 500.00 true'],
        closed: ['lot.snapshot', 'lot.closed'],
      });
    } finally {
      await proxy.close();
    }
    const sent = (method: string, end: string) =>
      proxy.passed.filter((one) => one.method === method && one.path.endsWith(end));
    const keys = sent('POST', `/${lot.id}/bids`).map(({ key }) => key);
    expect(keys).to.have.length(6);
    expect(new Set(keys.slice(0, 4)).size).to.equal(1);
    expect(new Set(keys).size).to.equal(3);
    expect(sent('POST', '/questions')).to.have.length(1);
    expect(sent('POST', '/watchlist')).to.have.length(2);
    expect(sent('DELETE', '/follow')).to.have.length(2);
    const positions = sent('GET', `/${lot.id}/stream`).map(({ lastEventId }) => lastEventId);
    expect(positions.slice(0, 2)).to.deep.equal([undefined, undefined]);
    expect(positions[2]).to.match(/^\d+$/);
  }

  it('in TypeScript: packed, installed into an empty folder, compiled and run', async () => {
    const empty = join(folder, 'typescript-project');
    await mkdir(empty);
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', made.tarball], { cwd: empty });
    const { dependencies } = JSON.parse(await readFile(join(empty, 'package.json'), 'utf8'));
    expect(Object.keys(dependencies)).to.deep.equal(['rostrum-client']);
    await mkdir(join(empty, 'node_modules', '@types'));
    for (const name of ['@types/node', 'undici-types'])
      await symlink(inProject('node_modules', name), join(empty, 'node_modules', name));
    await writeFile(join(empty, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS }));
    await cp(join(HERE, 'walk.ts.txt'), join(empty, 'walk.ts'));
    const compiled = () =>
      run(inProject('node_modules', '.bin', 'tsc'), ['-p', empty]).then(
        () => '',
        (failed: { stdout: string }) => failed.stdout,
      );
    expect(await compiled()).to.equal('');
    const tsx = pathToFileURL(inProject('node_modules', 'tsx', 'dist', 'loader.mjs')).href;
    await walk(process.execPath, ['--import', tsx, 'walk.ts'], empty);
    await examples('.ts', process.execPath, ['--import', tsx], empty);
    expect(await compiled()).to.equal('');
  });

  it('in Python: put into an empty folder, and run', async function () {
    const version = await run('python3', ['--version']).then(
      ({ stdout }) => stdout,
      () => null,
    );
    // Without Python on the machine there is nothing to run it with.
    if (version === null) return this.skip();
    const empty = join(folder, 'python-project');
    await mkdir(empty);
    await cp(join(made.python, 'rostrum_client'), join(empty, 'rostrum_client'), { recursive: true });
    await cp(join(HERE, 'walk.py.txt'), join(empty, 'walk.py'));
    await walk('python3', ['walk.py'], empty);
    await examples('.py', 'python3', [], empty);
  });

  /** The examples of a language as `/docs/clients` prints them, in the folder of its project. */
  async function examples(
    ending: string,
    command: string,
    args: readonly string[],
    cwd: string,
  ): Promise<void> {
    const shown = codeOfPage((await service.get('/docs/clients')).text);
    for (const [name, code] of shown)
      if (name.endsWith(ending)) await writeFile(join(cwd, name), `${code}\n`);
    const token = await service.tokenFor(await aUser(service.database));
    const env = { PATH: process.env['PATH'], ROSTRUM_URL: service.url, ROSTRUM_TOKEN: token };
    const { stdout } = await run(command, [...args, `client${ending}`], { cwd, env, timeout: 60_000 });
    expect(stdout).to.match(/takes \d+\.00 or more\.\nleading at \d+\.00\nlot\.snapshot \d+\.00\n$/);

    const secret = newWebhookSecret();
    const port = await freePort();
    const child = spawn(command, [...args, `client-webhook${ending}`], {
      cwd,
      env: { ...env, WEBHOOK_SECRET: secret, PORT: String(port) },
    });
    let output = '';
    child.stdout.on('data', (part) => {
      output += String(part);
    });
    try {
      while (!output.includes('listening') && child.exitCode === null) await sleep(20);
      const body = JSON.stringify({ type: 'lot.sold', timestamp: 'now', data: { title: 'Tür' } });
      const send = async (headers: Record<string, string>, text = body) =>
        (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: text })).status;
      const keys = [signingKey(newWebhookSecret()), signingKey(secret)];
      expect(await send(signedHeaders(keys, 'evt_1', Date.now(), body))).to.equal(204);
      expect(await send(signedHeaders(keys, 'evt_2', Date.now(), body), `${body} `)).to.equal(401);
      expect(await send(signedHeaders(keys.slice(0, 1), 'evt_3', Date.now(), body))).to.equal(401);
      expect(await send(signedHeaders(keys, 'evt_4', Date.now() - 301_000, body))).to.equal(401);
      expect(await send({})).to.equal(401);
      expect(output)
        .to.contain('evt_1 lot.sold')
        .and.not.to.match(/evt_[234]/);
    } finally {
      child.kill();
    }
  }

  it('take no webhook where the secret is none, though anybody can sign with an empty one', async function () {
    const headers = signedHeaders([Buffer.alloc(0)], 'evt_1', Date.now(), '{}');
    const typescript: typeof import('../../clients/typescript/webhooks.ts') = await import(
      pathToFileURL(join(made.typescript, 'dist', 'webhooks.js')).href
    );
    const check = [
      'import json, sys, rostrum_client',
      "try: rostrum_client.verify_webhook('{}', json.loads(sys.argv[1]), sys.argv[2]); print('taken')",
      "except rostrum_client.WebhookError: print('refused')",
    ].join('\n');
    for (const secret of ['', 'whsec_', 'whsec_A', '!']) {
      const taken = await typescript.verifyWebhook('{}', headers, secret).catch((error: Error) => error);
      expect(taken, secret).to.be.instanceOf(typescript.WebhookError);
      const python = await run('python3', ['-c', check, JSON.stringify(headers), secret], {
        cwd: made.python,
      }).catch((error: { code?: unknown }) => (error.code === 'ENOENT' ? null : Promise.reject(error)));
      // As above: the TypeScript half has been compared by now.
      if (python === null) return this.skip();
      expect(python.stdout.trim(), secret).to.equal('refused');
    }
  });

  it('have a method for each operation of the description, and a type for each object', async () => {
    const description = service.web.app.document as Description;
    const operations = operationsOf(description);
    expect(operations.length).to.be.above(150);
    const typescript = await readFile(join(made.typescript, 'dist', 'client.d.ts'), 'utf8');
    const python = await readFile(join(made.python, 'rostrum_client', 'client.py'), 'utf8');
    const types = await readFile(join(made.python, 'rostrum_client', 'types.pyi'), 'utf8');
    const snake = (name: string) => name.replaceAll(/[A-Z]/g, (one) => `_${one.toLowerCase()}`);
    const missing = operations.filter(
      ({ name }) =>
        !typescript.includes(`    ${name}(args`) || !python.includes(`    def ${snake(name)}(self`),
    );
    expect(missing.map(({ name }) => name)).to.deep.equal([]);
    const objects = Object.keys(description.components.schemas);
    const untyped = objects.filter((name) => !new RegExp(`^(class ${name}\\(|${name} = )`, 'm').test(types));
    expect(untyped).to.deep.equal([]);
  });

  it('have types that Python itself can read', async function () {
    // A stub is no module: under another name it can be imported.
    const stub = await readFile(join(made.python, 'rostrum_client', 'types.pyi'), 'utf8');
    await writeFile(join(folder, 'api_types.py'), stub.replace('typing_extensions', 'typing'));
    const check = [
      'import sys, typing',
      "if not hasattr(typing, 'NotRequired'): print('too old'); sys.exit()",
      'import api_types',
      "classes = [one for one in vars(api_types).values() if hasattr(one, '__total__')]",
      'for one in classes: typing.get_type_hints(one)',
      'print(len(classes) > 100)',
    ].join('\n');
    const read = await run('python3', ['-c', check], { cwd: folder }).catch((error: { code?: unknown }) =>
      // Without Python on the machine there is nothing to read them with.
      error.code === 'ENOENT' ? null : Promise.reject(error),
    );
    // Nor with a Python before 3.11, whose `typing` cannot read which fields are required.
    if (read === null || read.stdout.trim() === 'too old') return this.skip();
    expect(read.stdout.trim()).to.equal('True');
  });
});
