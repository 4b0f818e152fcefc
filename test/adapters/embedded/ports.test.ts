import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freePort, isPortFree } from '../../../adapters/embedded/ports.ts';

const run = promisify(execFile);

describe('free ports of embedded servers', () => {
  it('are given once while the process lives, to it and to others, before anybody listens', async () => {
    const ports = await Promise.all(Array.from({ length: 400 }, () => freePort()));
    expect(new Set(ports).size).to.equal(ports.length);
    const module = new URL('../../../adapters/embedded/ports.ts', import.meta.url).href;
    // Another process that would take any of a few thousand: none of ours is among them.
    const program = `const { freePort } = await import('${module}');
      for (let i = 0; i < 2000; i += 1) console.log(await freePort());`;
    const others = (
      await run(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program])
    ).stdout
      .trim()
      .split('\n')
      .map(Number);
    expect(others).to.have.length(2_000);
    expect(others.filter((port) => ports.includes(port))).to.deep.equal([]);
    expect(await isPortFree(ports[0]!)).to.equal(true);
  });
});
