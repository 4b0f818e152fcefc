/** A saleroom's sale from the sofa: the clerk's keys in one browser, the lot on the block in another, on a phone. */
import type { Browser } from 'playwright-core';
import { aLot, anAuction, aTeam } from '../support/builders.ts';
import type { Site } from './site.ts';

/** Throws where the phone does not come to show what the clerk does, without a reload. */
export async function onTheSofa(site: Site, browser: Browser): Promise<void> {
  const { database } = site.service;
  const owner = await site.person();
  const team = await aTeam(database, { owner });
  await site.service.backends.knex('users').where('id', owner.id).update({ current_team_id: team.id });
  const auction = await anAuction(database, { team_id: team.id, type: 'simulcast' });
  for (const title of ['Anvil', 'Bellows', 'Chisel'])
    await aLot(database, { auction_id: auction.id, title, starting_bid_cents: 400_000 });
  await site.service.publish();
  const wide = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const phone = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const clerk = await site.signIn(wide, owner.email);
  const buyer = await site.signIn(phone, (await site.person()).email);
  await clerk.goto(`${site.url}/seller/auctions/${auction.id}/saleroom`);
  await buyer.goto(`${site.url}/auctions/${auction.slug}`);
  const block = buyer.getByRole('region', { name: 'On the block' });
  const next = buyer.getByRole('region', { name: 'Next lots' });
  await block.getByRole('link', { name: 'Anvil' }).waitFor();
  await next.getByRole('link', { name: /Chisel/ }).waitFor();
  await block.getByRole('button', { name: 'Bid 4,000', exact: true }).click();
  await block.getByText('You are the high bidder.').waitFor();
  await block.getByText('Leading', { exact: true }).waitFor();
  // The clerk's board has the bid before the hammer falls at its price.
  await clerk.locator('[data-bids] li').first().waitFor();
  await clerk.keyboard.press('f');
  await block.getByText('Fair warning:').waitFor();
  await clerk.locator('[data-warned]:not([hidden])').waitFor();
  await clerk.keyboard.press('s');
  await block.getByText('You won').waitFor();
  await clerk.locator('[data-open="no"]').waitFor();
  await clerk.keyboard.press('n');
  await block.getByRole('link', { name: 'Bellows' }).waitFor();
  await block.getByRole('button', { name: 'Bid 4,000', exact: true }).waitFor();
  await Promise.all([wide.close(), phone.close()]);
}
