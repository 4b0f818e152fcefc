/** `seed demo`: the demo marketplace, loaded alongside whatever is there; the second time it does nothing. */
import type { Command } from 'commander';
import { fillPlatforms } from '../../bidding/simulcast/platform-registry.ts';
import { hangDemoPictures } from '../../tools/demo/hang-pictures.ts';
import { seedDemo } from '../../tools/demo/seed.ts';
import { loadConfig } from '../config/config.ts';
import { openStorage } from '../process/open-storage.ts';
import { progressBar } from '../process/progress-bar.ts';
import { withBackends } from './command-servers.ts';
import { reporting } from './outcome.ts';

export function addSeedCommands(program: Command): void {
  const group = program.command('seed').description('data to try the service with');
  const demo = group
    .command('demo')
    .description('load the demo marketplace; does nothing if it is already there');
  reporting(demo, async () => {
    const config = loadConfig();
    const storage = await openStorage(config.mediaStorage);
    const seeded = await withBackends(config, async (backends) => {
      await fillPlatforms(backends.knex, config.appSecrets, config.simulcastSecrets);
      const onProgress = (line: string) => process.stderr.write(`  ${line}\n`);
      const done = await seedDemo(backends, {
        dataDir: config.dataDir,
        onProgress,
        openBar: (label) => progressBar(label, true),
      });
      await hangDemoPictures(backends.knex, storage);
      return done;
    }).finally(() => storage.close());
    const { loaded, bids, lots, signIns } = seeded;
    const text = [
      loaded ? `Loaded: ${lots.length} live lots, ${bids} bids.` : 'The demo marketplace is already there.',
      ...signIns.map(({ role, email, password, token }) => `  ${role}: ${email}, ${password}, ${token}`),
    ];
    return {
      result: { loaded, live_lots: lots.length, bids, sign_ins: signIns },
      text: text.join('\n'),
    };
  });
}
