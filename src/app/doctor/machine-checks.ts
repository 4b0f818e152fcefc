/** What a deployment gets wrong about this machine and around it: secrets, proxies, files, mail, disk, limits. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkSmtp } from '../../../adapters/mail/transport.ts';
import type { Config } from '../config/config.ts';
import { openStorage } from '../process/open-storage.ts';
import { type Check, type Finding, fine, wrong } from './finding.ts';

const MIN_FREE = 0.1;
const MIN_FREE_BYTES = 1_073_741_824;
/** What a process opens besides its clients: servers, files, the image processes. */
const OWN_FILES = 200;

type Found = Omit<Finding, 'name'>;

export function machineChecks(config: Config): Check[] {
  return [
    { name: 'secrets', run: () => checkSecrets(config) },
    { name: 'switches', run: () => checkSwitches(config) },
    { name: 'proxies', run: () => checkProxies(config) },
    { name: 'media storage', run: () => checkStorage(config) },
    { name: 'mail', run: () => checkMail(config) },
    { name: 'free disk', run: () => checkDisk(config) },
    { name: 'file limits', run: () => checkLimits(config) },
  ];
}

async function checkSecrets({
  environment,
  secretsFile,
  appSecrets,
  paymentWebhookSecret,
}: Config): Promise<Found> {
  if (environment !== 'production' && secretsFile !== null) {
    const mode = (await stat(secretsFile)).mode & 0o777;
    if ((mode & 0o077) !== 0)
      return wrong(`${secretsFile} has mode ${mode.toString(8)}`, `chmod 600 ${secretsFile}`);
    return fine(`generated for ${environment}; production needs its own`);
  }
  if (appSecrets.includes(paymentWebhookSecret))
    return wrong('APP_SECRET and PAYMENT_WEBHOOK_SECRET are the same', 'Use a different secret for each.');
  const rotating = appSecrets.length > 1 ? `; ${appSecrets.length - 1} older still accepted` : '';
  return fine(`set${rotating}`);
}

/** What is meant for development and tests is left on in production by copying a file of settings. */
async function checkSwitches(config: Config): Promise<Found> {
  if (config.environment !== 'production') return fine(`not restricted in ${config.environment}`);
  const on = [
    config.paymentSandbox && 'PAYMENT_SANDBOX: anyone can pay invoices without real money',
    config.webhookAllowLoopback &&
      'WEBHOOK_ALLOW_LOOPBACK: webhooks of sellers can reach services on this host',
    config.allowWeakDurability && 'ALLOW_WEAK_DURABILITY: a Redis that may lose writes is accepted',
  ].filter((why) => why !== false);
  return on.length === 0 ? fine('no development setting is on') : wrong(on.join('; '), 'Set them to 0.');
}

async function checkProxies({ environment, publicUrl, host, trustProxy }: Config): Promise<Found> {
  if (trustProxy.some((range) => /\/0$/.test(range)))
    return wrong(
      `TRUST_PROXY=${trustProxy.join(',')}`,
      'List only your proxies: this setting lets any client claim any address.',
    );
  const isBehindTls = publicUrl?.startsWith('https:') ?? false;
  if (isBehindTls && trustProxy.length === 0)
    return wrong(
      `PUBLIC_URL is https, TRUST_PROXY is off, listening on ${host}`,
      'Set TRUST_PROXY to the balancer’s addresses: otherwise all visitors count as one address.',
    );
  if (environment === 'production' && !isBehindTls)
    return wrong(
      `PUBLIC_URL=${publicUrl}`,
      'Serve it over https: passwords and tokens cross the network unencrypted.',
    );
  return fine(trustProxy.length === 0 ? 'no proxy is trusted' : `trusted: ${trustProxy.join(', ')}`);
}

/** Writes a small file, reads it and deletes it. */
async function checkStorage(config: Config): Promise<Found> {
  const storage = await openStorage(config.mediaStorage);
  const folder = await mkdtemp(join(tmpdir(), 'rostrum-doctor-'));
  const key = `doctor-${randomBytes(8).toString('hex')}.txt`;
  try {
    await writeFile(join(folder, key), 'written by rostrum doctor\n');
    await storage.put(key, join(folder, key), 'text/plain');
    const kept = await storage.head(key);
    await storage.delete(key);
    if (kept === null)
      return wrong('a file that was written cannot be found', 'Check MEDIA_STORAGE and its credentials.');
    const { mediaStorage: configured } = config;
    return fine(
      `${configured.kind === 'file' ? configured.folder : configured.bucket} can be written, read and deleted from`,
    );
  } finally {
    storage.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function checkMail({ mail }: Config): Promise<Found> {
  if (mail.kind === 'folder') return fine(`written to ${mail.folder}`);
  if (mail.kind === 'off')
    return wrong('off', 'Set SMTP_URL and MAIL_FROM: nobody can confirm an address or reset a password.');
  await checkSmtp(mail.url);
  return fine(`${new URL(mail.url).host} accepts mail`);
}

/** Of the folders that this configuration writes to; the servers' own disks are theirs. */
async function checkDisk({ dataDir, mediaStorage }: Config): Promise<Found> {
  const folders = [dataDir, ...(mediaStorage.kind === 'file' ? [mediaStorage.folder] : [])];
  const disks = await Promise.all(folders.map(async (folder) => ({ folder, ...(await spaceOf(folder)) })));
  const full = disks.filter(({ free, size }) => free < size * MIN_FREE || free < MIN_FREE_BYTES);
  const say = ({ folder, free, size }: (typeof disks)[number]) =>
    `${folder}: ${gib(free)} of ${gib(size)} GiB free`;
  if (full.length === 0) return fine(disks.map(say).join('; '));
  return wrong(full.map(say).join('; '), 'Make room, before uploads and the embedded servers fail.');
}

/** Of the folder, or of the nearest one above it that is there. */
async function spaceOf(folder: string): Promise<{ free: number; size: number }> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { free: bavail * bsize, size: blocks * bsize };
  } catch (error) {
    if (dirname(folder) === folder) throw error;
    return spaceOf(dirname(folder));
  }
}

function gib(bytes: number): string {
  return (bytes / 1_073_741_824).toFixed(1);
}

async function checkLimits({ maxConnections }: Config): Promise<Found> {
  const text = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const limit = /^Max open files\s+(\S+)/m.exec(text)?.[1];
  if (limit === undefined) return fine('not known on this system');
  const max = limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit);
  const needed = maxConnections + OWN_FILES;
  const found = `${limit} open files, MAX_CONNECTIONS=${maxConnections}`;
  if (max >= needed) return fine(found);
  return wrong(
    found,
    `Raise the limit (LimitNOFILE, ulimit -n) to ${needed} or more, or lower MAX_CONNECTIONS.`,
  );
}
