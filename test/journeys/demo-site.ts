/** The site with the demo and its pictures in it, for the browser's journeys. */
import { openStorage } from '../../src/app/process/open-storage.ts';
import { hangDemoPictures } from '../../src/tools/demo/hang-pictures.ts';
import { seedDemo } from '../../src/tools/demo/seed.ts';
import { openSite, type Site } from './site.ts';

export interface DemoSite extends Site {
  readonly buyer: { readonly email: string; readonly password: string };
  readonly seller: { readonly email: string; readonly password: string };
  readonly admin: { readonly email: string; readonly password: string };
}

export async function openDemoSite(): Promise<DemoSite> {
  const site = await openSite();
  const { backends, config } = site.service;
  const seeded = await seedDemo(backends, { dataDir: config.dataDir, onProgress: () => {} });
  const storage = await openStorage(config.mediaStorage);
  await hangDemoPictures(backends.knex, storage);
  storage.close();
  const buyer = seeded.signIns.find(({ role }) => role === 'buyer')!;
  const seller = seeded.signIns.find(({ role }) => role === 'seller')!;
  const admin = seeded.signIns.find(({ role }) => role === 'admin')!;
  return { ...site, buyer, seller, admin };
}
