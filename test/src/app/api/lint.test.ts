import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { PROJECT_ROOT } from '../../../../src/shared/project-root.ts';
import { type Service, startService } from '../../../support/service.ts';

const REDOCLY = join(PROJECT_ROOT, 'node_modules', '@redocly', 'cli', 'bin', 'cli.js');

describe('the API’s description under a linter', () => {
  let service: Service;
  let folder: string;
  before(async () => {
    service = await startService();
    folder = await mkdtemp(join(tmpdir(), 'rostrum-lint-'));
  });
  after(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** What redocly's recommended rules say: `severity rule: message at place`. */
  async function lint(document: object): Promise<string[]> {
    const file = join(folder, 'openapi.json');
    await writeFile(file, JSON.stringify(document));
    const run = promisify(execFile)(
      process.execPath,
      [REDOCLY, 'lint', file, '--extends=recommended', '--format=json'],
      {
        cwd: folder,
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' },
        maxBuffer: 64 * 1024 * 1024,
      },
    );
    const { stdout } = await run.catch((failed: { stdout: string }) => failed);
    const { problems } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as { problems: Problem[] };
    return problems.map(({ severity, ruleId, message, location }) => {
      return `${severity} ${ruleId}: ${message} at ${location[0]?.pointer}`;
    });
  }

  it('has no error and no warning by redocly’s recommended rules', async () => {
    expect(await lint(service.web.app.document)).to.deep.equal([]);
  });
});

interface Problem {
  readonly severity: string;
  readonly ruleId: string;
  readonly message: string;
  readonly location: readonly { readonly pointer: string }[];
}
