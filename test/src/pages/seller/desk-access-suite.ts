/** Whom the seller’s desk is closed to. */

import { expect } from 'chai';
import type { Knex } from 'knex';
import { BrowserLike } from '../../../support/browser-like.ts';
import { aLot } from '../../../support/builders.ts';
import { eventually } from '../../../support/market.ts';
import type { Service } from '../../../support/service.ts';
import { type AtDesk, aSellerAtDesk } from './seller-at-desk.ts';

/** What the tests have from their service. */
export interface DeskAccessWorld {
  readonly aDraft: (title?: string) => Promise<number>;
  readonly service: Service;
  readonly stranger: AtDesk;
  readonly seller: AtDesk;
  readonly knex: () => Knex;
  readonly auctionFields: (more?: Record<string, string>) => {
    title: string;
    start_time: string;
    end_time: string;
    timezone: string;
  };
}

/** Whom the seller’s desk is closed to. */
export function deskAccessSuite(world: DeskAccessWorld): void {
  const { aDraft, knex, auctionFields } = world;

  describe('are for the team alone', () => {
    it('send visitors to sign in, and show another team’s things to nobody', async () => {
      const id = await aDraft();
      const lot = await aLot(world.service.database, { auction_id: id, status: 'draft' });
      const visitor = new BrowserLike(world.service.url);
      for (const path of [
        `/seller/auctions/${id}`,
        `/seller/auctions/${id}/edit`,
        `/seller/lots/${lot.id}`,
        `/seller/auctions/${id}/import`,
      ]) {
        expect((await visitor.get(path)).location, path).to.equal(
          `/sign-in?next=${encodeURIComponent(path)}`,
        );
        expect((await world.stranger.browser.get(path)).status, path).to.equal(404);
        expect((await world.seller.browser.get(path)).status, path).to.equal(200);
      }
      for (const [path, fields] of [
        [`/seller/auctions/${id}/edit`, { title: 'Mine' }],
        [`/seller/auctions/${id}/publish`, {}],
        [`/seller/auctions/${id}/status`, { status: 'cancelled' }],
        [`/seller/auctions/${id}/delete`, {}],
        [`/seller/lots/${lot.id}`, { title: 'Mine' }],
        [`/seller/lots/${lot.id}/status`, { status: 'deleted' }],
        ['/seller/lots', { auction_id: String(id), title: 'Mine', starting_bid: '1' }],
      ] as const) {
        expect((await world.stranger.browser.post(path, fields)).status, path).to.equal(404);
      }
      expect(await knex()('auctions').where({ id }).first()).to.include({ status: 'draft', title: 'Draft' });
    });

    it('change hands with the choice of team, for teams that one is in', async () => {
      const page = await world.seller.browser.get('/seller');
      expect(page.text).to.match(/<label>Team <select name="team"/);
      const personal = await knex()('teams').where('personal_user_id', world.seller.user.id).first();
      const gone = await world.seller.browser.post('/seller/team', {
        team: String(personal.id),
        back: '/seller/lots/7',
      });
      expect(gone.location).to.equal('/seller/lots');
      await eventually(async () =>
        (await world.seller.browser.get('/seller')).text.includes('is not approved yet'),
      );
      expect(
        (await world.seller.browser.post('/seller/team', { team: String(world.stranger.team.id) })).status,
      ).to.equal(403);
      await world.seller.browser.post('/seller/team', { team: String(world.seller.team.id) });
      await eventually(
        async () => !(await world.seller.browser.get('/seller')).text.includes('is not approved yet'),
      );
    });

    it('are closed to people who are suspended or in no team', async () => {
      const other = await aSellerAtDesk(world.service);
      await other.browser.get('/seller/auctions/new');
      await knex()('users').where('id', other.user.id).update({ suspended_at: new Date() });
      const notes = () => other.browser.post('/seller/auctions/many', {});
      await eventually(async () => (await notes()).status === 403);
      expect((await other.browser.post('/seller/auctions', auctionFields())).status).to.equal(403);
      expect(await knex()('auctions').where('team_id', other.team.id)).to.have.length(0);
      const lonely = await aSellerAtDesk(world.service);
      await knex()('memberships').where('user_id', lonely.user.id).delete();
      await eventually(async () =>
        (await lonely.browser.get('/seller')).text.includes('You are not in a seller’s team yet'),
      );
    });
  });
}
