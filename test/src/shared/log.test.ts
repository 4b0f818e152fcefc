/** The log where its disk is full: `/dev/full` takes no byte. */
import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';

const LOG = new URL('../../../src/shared/log.ts', import.meta.url).href;
/** Logs, waits until the write has failed, logs again, and then says that it is still there. */
const SCRIPT = `
  const { openLog } = await import('${LOG}');
  const log = openLog('info', 'test');
  for (let round = 0; round < 3; round++) {
    for (let line = 0; line < 10; line++) log.error('a line');
    await new Promise((done) => setTimeout(done, 20));
  }
  process.stdout.write('alive', () => process.exit(0));
`;

describe('the log', () => {
  it('on a full disk neither ends its process nor prevents its exit', async () => {
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', SCRIPT], {
      stdio: ['ignore', 'pipe', openSync('/dev/full', 'w')],
    });
    const exited = new Promise((done) => child.on('exit', done));
    if (child.stdout === null) throw new Error('no stdout');
    expect(await text(child.stdout)).to.equal('alive');
    expect(await exited).to.equal(0);
  });
});
