/** Tables as XLSX files, for programs that calculate. Each is written by a process of its own, which ends with it. */
import { fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { XlsxAnswer, XlsxWork } from './xlsx-work.ts';

const SCRIPT = fileURLToPath(new URL(`./xlsx-process${extname(import.meta.url)}`, import.meta.url));
const MAX_MS = 90_000;

/** Writes the file. Throws where that fails, or takes too long. */
export function writeXlsx(work: XlsxWork): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = fork(SCRIPT, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    const end = (error: Error | null) => {
      clearTimeout(clock);
      child.kill('SIGKILL');
      if (error === null) resolve();
      else reject(error);
    };
    const clock = setTimeout(() => end(new Error('writing an XLSX file takes too long')), MAX_MS);
    child.once('message', ({ fault }: XlsxAnswer) =>
      end(fault === null ? null : new Error(`the XLSX process: ${fault}`)),
    );
    child.once('error', end);
    child.once('exit', () => end(new Error('the XLSX process ended')));
    child.send(work, (error) => {
      if (error !== null) end(error);
    });
  });
}
