/** A real nginx with the configuration of `deploy/`, in front of processes of this machine; only where there is one. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../adapters/embedded/ports.ts';
import { eventually } from './market.ts';

export const isNginxHere = (): boolean => spawnSync('nginx', ['-v']).status === 0;

export async function openNginx(ports: readonly number[]): Promise<{ url: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'rostrum-nginx-'));
  const port = await freePort();
  const shipped = await readFile(new URL('../../deploy/nginx.conf', import.meta.url), 'utf8');
  const here = shipped
    .replace('listen 80;', `listen 127.0.0.1:${port};`)
    .replaceAll(/web(\d):8080/g, (_, number: string) => `127.0.0.1:${ports[Number(number) - 1]}`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder};`,
  );
  const main = [
    'daemon off;',
    'worker_processes 1;',
    `pid ${join(folder, 'pid')};`,
    `error_log ${join(folder, 'error.log')};`,
    'events { worker_connections 1024; }',
    `http { access_log off; ${temporary.join(' ')}`,
    here,
    '}',
  ];
  await writeFile(join(folder, 'nginx.conf'), main.join('\n'));
  const child: ChildProcess = spawn('nginx', ['-c', join(folder, 'nginx.conf')], { stdio: 'inherit' });
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => (await fetch(`${url}/healthz`).catch(() => null))?.ok === true);
  return {
    url,
    async close() {
      if (child.exitCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}
