/**
 * The secrets of a development machine: generated on the first start, kept in `secrets.json` under the data folder
 * (mode 600), and the same from then on. `config.ts` reads them when the environment sets none; production never does.
 */
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, systemCodeOf } from '../../../engine/thrown.ts';
import { InputError } from '../../shared/input-error.ts';

export interface MadeUpSecrets {
  readonly appSecret: string;
  readonly paymentWebhookSecret: string;
  readonly simulcastSecrets: Readonly<Record<string, string>>;
  readonly file: string;
}

/** The platform that development has a secret for. */
const DEVELOPMENT_PLATFORM = 'demo';

/** Reads the file, or makes it. Two processes that start at once agree on one. */
export function madeUpSecrets(dataDir: string): MadeUpSecrets {
  const file = join(dataDir, 'secrets.json');
  return readSecretsFile(file) ?? makeSecretsFile(dataDir, file);
}

function makeSecretsFile(dataDir: string, file: string): MadeUpSecrets {
  const fresh = {
    appSecret: randomBytes(32).toString('base64url'),
    paymentWebhookSecret: `whsec_${randomBytes(24).toString('base64url')}`,
    simulcastSecrets: { [DEVELOPMENT_PLATFORM]: randomBytes(24).toString('base64url') },
  };
  const temporary = `${file}.${process.pid}`;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(temporary, `${JSON.stringify(fresh, null, 2)}\n`, { mode: 0o600 });
    // A link, unlike a rename, does not replace the file of a process that was quicker.
    linkSync(temporary, file);
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') {
      throw new InputError(`DATA_DIR: cannot write under ${dataDir}: ${messageOf(error)}`);
    }
  } finally {
    rmSync(temporary, { force: true });
  }
  return readSecretsFile(file) ?? { ...fresh, file };
}

function readSecretsFile(file: string): MadeUpSecrets | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw new InputError(`DATA_DIR: cannot read ${file}: ${messageOf(error)}`);
  }
  const secrets = parse(text);
  if (!secrets)
    throw new InputError(`DATA_DIR: ${file} is damaged; restore it, or delete it to generate new secrets`);
  return { ...secrets, file };
}

function parse(text: string): Omit<MadeUpSecrets, 'file'> | null {
  try {
    const { appSecret, paymentWebhookSecret, simulcastSecrets }: Partial<MadeUpSecrets> = JSON.parse(text);
    if (!appSecret || !paymentWebhookSecret || !simulcastSecrets) return null;
    return { appSecret, paymentWebhookSecret, simulcastSecrets };
  } catch {
    return null;
  }
}

const SEAL_KEY_FILE = 'seal-key';

/** The key that was made for sealed bids, or none. */
export function madeUpSealKeys(dataDir: string): string[] {
  try {
    return [readFileSync(join(dataDir, SEAL_KEY_FILE), 'utf8').trim()];
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return [];
    throw new InputError(`DATA_DIR: cannot read ${join(dataDir, SEAL_KEY_FILE)}: ${messageOf(error)}`);
  }
}

/** Makes a key for sealed bids where there is none: only where somebody tries the service out. */
export function makeSealKey(dataDir: string): string[] {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  try {
    const key = randomBytes(32).toString('hex');
    writeFileSync(join(dataDir, SEAL_KEY_FILE), `${key}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST')
      throw new InputError(`DATA_DIR: cannot write under ${dataDir}: ${messageOf(error)}`);
  }
  return madeUpSealKeys(dataDir);
}
