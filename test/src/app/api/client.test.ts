import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { PROJECT_ROOT } from '../../../../src/shared/project-root.ts';
import { aCategory, aLot, anAuction, aUser } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';

const run = promisify(execFile);
const inProject = (...parts: string[]): string => join(PROJECT_ROOT, ...parts);

const COMPILER_OPTIONS = {
  target: 'ES2023',
  lib: ['ES2023', 'DOM', 'DOM.Iterable'],
  module: 'NodeNext',
  moduleResolution: 'NodeNext',
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  types: ['node'],
};

describe('a client generated from the served description', () => {
  let service: Service;
  let folder: string;
  before(async () => {
    service = await startService();
    folder = await mkdtemp(join(tmpdir(), 'rostrum-client-'));
    await mkdir(join(folder, 'node_modules'), { recursive: true });
    for (const name of ['openapi-fetch', 'openapi-typescript-helpers', '@types']) {
      await symlink(inProject('node_modules', name), join(folder, 'node_modules', name));
    }
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS }));
    await copyFile(inProject('test', 'src', 'app', 'api', 'client', 'walk.ts.txt'), join(folder, 'walk.ts'));
  });
  after(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('compiles against the surface and runs the quick start with it', async () => {
    const document = join(folder, 'openapi.json');
    await writeFile(document, (await service.get('/docs/api/openapi.json')).text);
    const preload = inProject('test', 'support', 'typescript-for-generators.ts');
    const generate = inProject('test', 'support', 'generate-client.ts');
    const tsx = ['--import', 'tsx'];
    await run(process.execPath, [...tsx, '--import', preload, generate, document, join(folder, 'types.ts')], {
      cwd: PROJECT_ROOT,
    });
    const compiled = run(inProject('node_modules', '.bin', 'tsc'), ['-p', folder]);
    const faults = await compiled.then(
      () => '',
      (failed: { stdout: string }) => failed.stdout,
    );
    expect(faults).to.equal('');

    const category = await aCategory(service.database);
    const auction = await anAuction(service.database, { category_id: category.id });
    const lot = await aLot(service.database, { auction_id: auction.id });
    await service.publish();
    const user = await aUser(service.database);
    const args = [...tsx, join(folder, 'walk.ts'), service.url, await service.tokenFor(user)];
    const { stdout } = await run(process.execPath, args, { cwd: PROJECT_ROOT });
    expect(JSON.parse(stdout)).to.deep.equal({
      email: user.email,
      auction: auction.id,
      lot: lot.id,
      outcome: 'leading',
      currentBid: '100.00',
      isReplay: true,
      bids: 1,
      low: [422, 'bid_too_low'],
      denied: 401,
      categories: 1,
    });
  });
});
