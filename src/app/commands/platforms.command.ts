/** `platform add`, `rotate` and `webhook`: who may send simulcast events, and is notified of the lots listed there. */
import type { Command } from 'commander';
import {
  addPlatform,
  rotatePlatform,
  type SavedPlatform,
} from '../../bidding/simulcast/platform-registry.ts';
import { invalid } from '../../shared/refusal.ts';
import {
  checkPlatformWebhook,
  dropPlatformWebhook,
  setPlatformWebhook,
} from '../../webhooks/platform-webhooks.ts';
import type { UrlRules } from '../../webhooks/subscription-url.ts';
import { type Config, loadConfig } from '../config/config.ts';
import { withServers } from './command-servers.ts';
import { type Outcome, reporting } from './outcome.ts';

export function addPlatformCommands(program: Command): void {
  const group = program.command('platform').description('simulcast platforms');
  const add = group
    .command('add')
    .description('let a platform send floor bids and sales')
    .requiredOption('--slug <slug>', 'its name in URLs')
    .option('--secret <secret>', '8 to 200 characters; default: a random one')
    .option('--webhook <url>', 'the URL that gets events about lots listed on it (listing.*)');
  reporting(add, async ({ slug, secret, webhook }: { slug: string; secret?: string; webhook?: string }) => {
    const config = loadConfig();
    if (webhook !== undefined) await checkPlatformWebhook(slug, webhook, urlRules(config));
    const saved = await withServers(config, ({ database }) =>
      database.knex.transaction(async (trx) => {
        const added = await addPlatform(trx, config.appSecrets, slug, secret);
        if (webhook !== undefined) await setPlatformWebhook(trx, slug, webhook);
        return added;
      }),
    );
    return outcomeOf({ ...saved, ...(webhook === undefined ? {} : { webhook }) }, 'is there');
  });
  const rotate = group
    .command('rotate')
    .description('give a platform a new secret; the previous one stays valid for 24 hours')
    .requiredOption('--slug <slug>', 'its name in URLs');
  reporting(rotate, async ({ slug }: { slug: string }) => {
    const config = loadConfig();
    const saved = await withServers(config, ({ database }) =>
      rotatePlatform(database.knex, config.appSecrets, slug),
    );
    return outcomeOf(saved, 'has a new secret');
  });
  addWebhookCommand(group);
}

function addWebhookCommand(group: Command): void {
  const webhook = group
    .command('webhook')
    .description('send a platform events about lots listed on it (listing.*), or stop sending them')
    .requiredOption('--slug <slug>', 'its name in URLs')
    .option('--url <url>', 'the URL that gets the events')
    .option('--off', 'stop sending events');
  reporting(webhook, async ({ slug, url, off }: { slug: string; url?: string; off?: boolean }) => {
    if ((url === undefined) === (off === undefined)) throw invalid({ url: ['Give either --url or --off.'] });
    const config = loadConfig();
    if (url !== undefined) await checkPlatformWebhook(slug, url, urlRules(config));
    await withServers(config, ({ database }) =>
      database.knex.transaction((trx) =>
        url === undefined ? dropPlatformWebhook(trx, slug) : setPlatformWebhook(trx, slug, url),
      ),
    );
    const effect = url === undefined ? 'gets no more events' : `gets events about its listings at ${url}`;
    return { result: { slug, webhook: url ?? null }, text: `Platform ${slug} ${effect}.` };
  });
}

function urlRules(config: Config): UrlRules {
  return { allowLoopback: config.webhookAllowLoopback };
}

function outcomeOf(saved: SavedPlatform & { readonly webhook?: string }, what: string): Outcome {
  const { slug, secret } = saved;
  return {
    result: saved,
    text: `Platform ${slug} ${what}. Its secret, shown this once: ${secret}`,
  };
}
