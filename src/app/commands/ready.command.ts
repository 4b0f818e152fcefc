/**
 * `ready`: whether a process on this machine is ready, as its `/readyz` says. Service managers wait with it until one
 * counts as started; it needs neither Postgres nor Redis.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { messageOf } from '../../../engine/thrown.ts';
import { loadConfig } from '../config/config.ts';
import { reporting } from './outcome.ts';

const EVERY_MS = 100;
const PATIENCE_MS = 5_000;

export function addReadyCommand(program: Command): void {
  const command = program
    .command('ready')
    .description('whether the process at HOST and PORT is ready; exits 1 and names the failing part if not')
    .option('--url <url>', 'its base address, if it is another one')
    .option('--wait', 'wait until it is', false);
  reporting(command, async ({ url, wait }: { url?: string; wait: boolean }) => {
    const address = `${url ?? ownAddress()}/readyz`;
    let found = await look(address);
    while (wait && !found.ready) {
      await sleep(EVERY_MS);
      found = await look(address);
    }
    return { result: found, text: found.message, exitCode: found.ready ? 0 : 1 };
  });
}

/** Where a process with this environment can be reached from this machine. */
function ownAddress(): string {
  const { host, port } = loadConfig();
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host;
  return `http://${reached}:${port}`;
}

interface Found {
  readonly ready: boolean;
  readonly message: string;
}

async function look(address: string): Promise<Found> {
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (answer.ok) return { ready: true, message: 'Ready.' };
    const body: unknown = await answer.json().catch(() => null);
    return { ready: false, message: messageIn(body) ?? `${address} answers ${answer.status}.` };
  } catch (error) {
    return { ready: false, message: `Not ready: ${address} does not answer (${messageOf(error)}).` };
  }
}

function messageIn(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('message' in body)) return null;
  return typeof body.message === 'string' ? body.message : null;
}
