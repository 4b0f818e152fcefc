/** Lists that documents print of what the program has: its commands, its variables and its refusals. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCommandLine } from '../../src/app/commands/command-line.ts';
import { loadConfig } from '../../src/app/config/config.ts';
import { QUEUES } from '../../src/app/process/queue-address.ts';
import { ERROR_TABLE } from '../../src/app/web/refusal-answers.ts';

const page = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

/** The first cells of a page's tables, as one text. */
const firstCells = (name: string) => [...page(name).matchAll(/^\| (.*?) \|/gm)].map(([, cell = '']) => cell);

async function helpOf(words: readonly string[]): Promise<string> {
  const said: string[] = [];
  const terminal = { out: (text: string) => said.push(text), err: (text: string) => said.push(text) };
  await runCommandLine([...words, '--help'], terminal);
  return said.join('');
}

/** Every command that does something: groups list theirs, and are one where they print JSON themselves. */
async function commandsBelow(words: readonly string[]): Promise<string[]> {
  const [own = '', listed] = (await helpOf(words)).split('Commands:\n');
  if (listed === undefined) return [words.join(' ')];
  const names = [...listed.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name);
  const below = await Promise.all(
    names.filter((name) => name !== 'help').map((name) => commandsBelow([...words, name])),
  );
  const acts = words.length > 0 && own.includes('--json');
  return [...(acts ? [words.join(' ')] : []), ...below.flat()];
}

describe('lists in the documents', () => {
  it('docs/command-line.md has every command, and no other', async () => {
    const commands = await commandsBelow([]);
    expect(commands.length).to.be.greaterThan(40);
    const said = firstCells('command-line.md').flatMap((cell) =>
      [...cell.matchAll(/`([a-z][a-z-]*(?: [a-z][a-z-]*)?)/g)].map(([, name = '']) => name),
    );
    const isSaid = (command: string) => said.includes(command);
    expect(commands.filter((command) => !isSaid(command))).to.deep.equal([]);
    expect(said.filter((name) => !commands.includes(name))).to.deep.equal([]);
  });

  it('docs/configuration.md has every variable that is read, and no other', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rostrum-lists-'));
    const given = {
      DATA_DIR: folder,
      CHECKPOINT_WEBHOOK: 'https://witness.example.com',
      STRIPE_SECRET_KEY: 'sk_1',
    };
    const read = new Set<string>();
    loadConfig(
      new Proxy<Record<string, string>>(given, {
        get: (target, name) => {
          read.add(String(name));
          return Reflect.get(target, name);
        },
      }),
    );
    rmSync(folder, { recursive: true });
    const said = firstCells('configuration.md').flatMap((cell) =>
      [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name),
    );
    expect(said.sort()).to.deep.equal([...read].sort());
  });

  it('docs/operations.md says of every queue what it holds', () => {
    const [, section = ''] = page('operations.md').split('### A queue grows');
    expect(QUEUES.filter((name) => !section.split('\n### ')[0]?.includes(`\`${name}\``))).to.deep.equal([]);
  });

  it('docs/api.md tells each code that it names with its status and sentence', () => {
    const rows = [...page('api.md').matchAll(/^\| (\d{3}) \| `(\w+)` \| (.*) \|$/gm)];
    expect(rows.length).to.be.greaterThan(30);
    const wrong = rows.filter(([, status, code = '', sentence]) => {
      const entry = ERROR_TABLE[code];
      return entry?.status !== Number(status) || entry.message !== sentence;
    });
    expect(wrong.map(([row]) => row)).to.deep.equal([]);
  });
});
