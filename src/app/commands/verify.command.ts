/** `verify`: runs the verifier that everybody can download, on a lot of the running service or on a file. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { messageOf } from '../../../engine/thrown.ts';
import { InputError } from '../../shared/input-error.ts';
import { PROJECT_ROOT } from '../../shared/project-root.ts';
import { loadConfig } from '../config/config.ts';
import { addressFor } from '../config/running-address.ts';
import { reporting } from './outcome.ts';

interface Result {
  readonly ok: boolean;
  readonly steps: readonly string[];
  readonly fault: { readonly sequence: number | null; readonly message: string } | null;
}

interface Verifier {
  verify(bundle: unknown): Promise<Result>;
  fetchBundle(address: string, lot: string): Promise<unknown>;
  bundleOf(read: unknown): unknown;
}

export function addVerifyCommand(program: Command): void {
  const command = program
    .command('verify')
    .description(
      'check a lot’s journal with verifier/verify.mjs, as anyone can without access to the service',
    )
    .argument('<lot-or-file>', 'a lot’s id, or a downloaded file')
    .option('--url <url>', 'the service to read from; default: the one that is running');
  reporting(command, async (target: string, options: { url?: string }) => {
    const file = pathToFileURL(join(PROJECT_ROOT, 'verifier', 'verify.mjs')).href;
    const verifier: Verifier = await import(file);
    const isLot = /^[0-9]{1,15}$/.test(target);
    const bundle = isLot
      ? await fetched(verifier, options.url ?? addressFor(loadConfig()), target)
      : await readBundle(verifier, target);
    const result = await verifier.verify(bundle);
    const { fault } = result;
    const last =
      fault === null
        ? []
        : [`${fault.sequence === null ? '' : `Entry ${fault.sequence}: `}${fault.message}.`];
    return { result, text: [...result.steps, ...last].join('\n'), exitCode: result.ok ? 0 : 1 };
  });
}

function fetched(verifier: Verifier, url: string, lot: string): Promise<unknown> {
  return verifier.fetchBundle(url, lot).catch((error: unknown) => {
    throw new InputError(`lot ${lot} cannot be read from ${url}: ${messageOf(error)}`);
  });
}

/** A bundle, or the journal's entries alone. */
async function readBundle(verifier: Verifier, file: string): Promise<unknown> {
  try {
    return verifier.bundleOf(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    throw new InputError(`${file}: ${messageOf(error)}`);
  }
}
