/** The service as a process of its own: started from the command line, bid on over HTTP, killed in part. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { programToRun } from './program.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));

export interface Run {
  readonly child: ChildProcess;
  out(): string;
  err(): string;
}

export function run(dataDir: string, args: readonly string[], env: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, [...programToRun(), ...args], {
    cwd: project,
    env: { ...process.env, DATA_DIR: dataDir, PORT: '0', RATE_LIMIT_PER_MINUTE: '0', NODE_ENV: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  return { child, out: () => out, err: () => err };
}

export async function until(
  condition: () => boolean | Promise<boolean>,
  withinMs: number,
  what: () => string,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what()}`);
    await sleep(50);
  }
}

export async function exitCode({ child }: Run): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

export interface Service extends Run {
  readonly url: string;
  readonly tokens: readonly string[];
  readonly lotId: number;
  readonly amount: string;
}

export async function startDemo(dataDir: string): Promise<Service> {
  const started = run(dataDir, ['start', '--demo']);
  const has = (text: string) => started.out().includes(text);
  await until(
    () => started.child.exitCode !== null || (has('curl') && has('"}\'\n')),
    180_000,
    () => started.out() + started.err(),
  );
  const [, url = ''] = /listens on (http:\S+)/.exec(started.out()) ?? [];
  const [, lotId = ''] = /\/lots\/(\d+)\/bids/.exec(started.out()) ?? [];
  const [, amount = ''] = /"amount":"([\d.]+)"/.exec(started.out()) ?? [];
  const tokens = [...started.out().matchAll(/^ {2}(?:buyer|admin).*token (\S+)/gm)].map((match) => match[1]!);
  return { ...started, url, tokens, lotId: Number(lotId), amount };
}

export interface Answer {
  /** 0: the connection was cut. */
  readonly status: number;
  readonly body: { success?: boolean; code?: string; data: Record<string, unknown> };
}

export function post(
  url: string,
  path: string,
  token: string,
  key: string,
  body: object,
  agent: Agent,
): Promise<Answer> {
  return new Promise((resolve) => {
    const cut = () => resolve({ status: 0, body: { data: {} } });
    const headers = {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': key,
    };
    const call = request(`${url}${path}`, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('error', cut);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
    });
    call.on('error', cut);
    call.end(JSON.stringify(body));
  });
}

export async function lotOf(
  { url }: Service,
  lotId: number,
): Promise<{ bid_count: number; minimum_next_bid: string }> {
  const answer = (await (await fetch(`${url}/api/v1/lots/${lotId}`)).json()) as { data: never };
  return answer.data;
}

/** The start's child of that role. */
export function childPid(parent: number, role: string): number {
  const found = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .find((pid) => {
      try {
        const isChild = new RegExp(`^PPid:\\s*${parent}$`, 'm').test(
          readFileSync(`/proc/${pid}/status`, 'utf8'),
        );
        return isChild && readFileSync(`/proc/${pid}/cmdline`, 'utf8').endsWith(`\0${role}\0`);
      } catch {
        return false;
      }
    });
  if (found === undefined) throw new Error(`no ${role} process`);
  return Number(found);
}

/**
 * Places single bids, both people alternating, until told to stop. Counts what was acknowledged and what is unknown.
 */
export async function bidOn(
  service: Service,
  going: () => boolean,
): Promise<{ acknowledged: number; unknown: number }> {
  const agent = new Agent({ keepAlive: true });
  const { lotId, tokens } = service;
  let acknowledged = 0;
  let unknown = 0;
  let amount = (await lotOf(service, lotId)).minimum_next_bid;
  for (let turn = 0; going(); turn += 1) {
    const key = `turn-${Date.now()}-${turn}`;
    const token = tokens[turn % tokens.length]!;
    const { status, body } = await post(
      service.url,
      `/api/v1/lots/${lotId}/bids`,
      token,
      key,
      { amount },
      agent,
    );
    const lot = (body.data?.['lot'] ?? body.data) as { minimum_next_bid?: string } | undefined;
    amount = lot?.minimum_next_bid ?? amount;
    if (status === 201) acknowledged += 1;
    else if (status === 0 || body.code === 'journal_unavailable') unknown += 1;
    if (status === 0 || status === 503) await sleep(50);
  }
  agent.destroy();
  return { acknowledged, unknown };
}
