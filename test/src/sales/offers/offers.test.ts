/**
 * Second chances: offered to the best remaining bidder, answered once, expired by the clock; an accepted sale is theirs
 * everywhere.
 */
import { expect } from 'chai';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { publishAuction } from '../../../../src/bidding/records/publishing.ts';
import type { Invoice } from '../../../../src/billing/invoices/invoice.model.ts';
import {
  approveSettlement,
  paySettlement,
} from '../../../../src/billing/settlements/settlement-decisions.ts';
import { settleAuctions } from '../../../../src/billing/settlements/settlements.ts';
import { acceptOffer, declineOffer, expireOffers } from '../../../../src/sales/offers/answer-offer.ts';
import { offerSecondChance } from '../../../../src/sales/offers/offers.ts';
import { placeBid } from '../../../support/auction-house.ts';
import { refusalOf, type Staff, withService } from '../../../support/billing.ts';
import { aLot, anAuction, aTeam, aUser } from '../../../support/builders.ts';
import { paymentOf, projectAuction, report, sell } from '../../../support/money.ts';
import type { Service } from '../../../support/service.ts';

describe('second chances', () => {
  let service: Service;
  let staff: Staff;
  withService((parts) => {
    ({ service, staff } = parts);
  });

  const knex = () => service.database.knex;

  /** A lot that Ann bought, Bob and Eve behind her, settled and not paid. */
  async function sold(columns: object = {}) {
    const { database: db, backends } = service;
    const owner = await aUser(db);
    const team = await aTeam(db, { owner });
    const auction = await anAuction(db, { team_id: team.id, buyer_premium_bps: 1_000 });
    const lot = await aLot(db, { auction_id: auction.id, ...columns });
    const [ann, bob, eve] = [await aUser(db), await aUser(db), await aUser(db)] as const;
    await publishAuction(backends, auction.id);
    for (const [who, max] of [
      [eve, 20_000],
      [bob, 30_000],
      [ann, 90_000],
    ] as const) {
      await backends.engine.submit(lot.id, placeBid(who.id, null, max));
    }
    await sell(backends.engine, lot.id, ann, 32_500);
    await projectAuction(db, backends.redis, auction.id);
    await settleAuctions(knex());
    const sellers = await service.tokenFor(owner, ['seller']);
    return {
      auction,
      lot,
      ann,
      bob,
      eve,
      makeOffer: (body: object = {}) =>
        service.call('POST', `/api/v1/seller/lots/${lot.id}/second-chance`, {
          token: sellers,
          headers: { 'x-team-id': String(team.id) },
          body,
        }),
    };
  }

  const winners = (lotId: number): Promise<Invoice[]> =>
    knex()('invoices').where({ lot_id: lotId, kind: 'winner' }).orderBy('id');
  const answer = async (who: User, id: number, verb: string) =>
    service.call('POST', `/api/v1/offers/${id}/${verb}`, { token: await service.tokenFor(who) });
  const standing = async (who: User): Promise<string> =>
    (await service.get('/api/v1/me/bids', await service.tokenFor(who))).body.data[0].status;
  const eventsOf = (lotId: number): Promise<string[]> =>
    knex()('events').where('lot_id', lotId).where('type', 'like', 'offer.%').orderBy('id').pluck('type');

  it('are offered by the seller, accepted by the bidder, and make the sale theirs', async () => {
    const { auction, lot, ann, bob, makeOffer } = await sold();
    const refused = await makeOffer();
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'invalid_transition']);
    await staff.defaultLot(lot.id);
    expect((await refusalOf(staff.defaultLot(lot.id))).code).to.equal('invalid_transition');
    const offered = await makeOffer({ hours: 24 });
    expect(offered.status).to.equal(201);
    const { id, ...offer } = offered.body.data;
    expect(offer).to.include({ lot_id: lot.id, auction_id: auction.id, amount: '300.00', status: 'offered' });
    expect(Date.parse(offer.expires_at) - Date.now()).to.be.closeTo(86_400_000, 60_000);
    expect((await makeOffer()).body.code).to.equal('invalid_transition');
    const mine = await service.get('/api/v1/me/offers?status=offered', await service.tokenFor(bob));
    expect(mine.body.data).to.have.length(1);
    expect(mine.body.meta.total).to.equal(1);
    expect((await answer(ann, id, 'accept')).status).to.equal(404);
    const answers = await Promise.all(
      ['accept', 'accept', 'decline', 'accept'].map((verb) => answer(bob, id, verb)),
    );
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
    const [, invoice, ...more] = await winners(lot.id);
    expect(more).to.deep.equal([]);
    const final = (await service.get('/api/v1/me/offers', await service.tokenFor(bob))).body.data[0];
    if (final.status === 'accepted') {
      expect(final.invoice_number).to.equal(invoice!.invoice_number);
      expect(invoice).to.include({ status: 'open', amount_due_cents: 33_000, user_id: bob.id });
      expect(await standing(bob)).to.equal('won');
    }
    expect(await standing(ann)).to.equal('defaulted');
    expect((await eventsOf(lot.id)).length).to.equal(2);
  });

  it('go from one bidder to the next, down to nobody, and never twice to one', async () => {
    const { auction, lot, bob, eve } = await sold();
    await staff.defaultLot(lot.id);
    const first = await offerSecondChance(knex(), lot.id);
    expect(first).to.include({ user_id: bob.id, amount_cents: 30_000 });
    expect(await declineOffer(knex(), first.id, bob.id)).to.include({ status: 'declined' });
    const second = await offerSecondChance(knex(), lot.id);
    expect(second).to.include({ user_id: eve.id, amount_cents: 20_000 });
    await knex()('offers')
      .where('id', second.id)
      .update({ expires_at: new Date(Date.now() - 1_000) });
    const late = await answer(eve, second.id, 'accept');
    expect([late.status, late.body.code]).to.deep.equal([409, 'invalid_transition']);
    expect(await expireOffers(knex())).to.equal(1);
    expect(await expireOffers(knex())).to.equal(0);
    expect((await refusalOf(offerSecondChance(knex(), lot.id))).code).to.equal('no_bidder_left');
    expect(await eventsOf(lot.id)).to.deep.equal([
      'offer.created',
      'offer.declined',
      'offer.created',
      'offer.expired',
    ]);
    expect((await staff.books(auction.id)).differences).to.deep.equal([]);
  });

  it('are not under the reserve unless somebody says so', async () => {
    const { lot, makeOffer } = await sold({ reserve_price_cents: 31_000 });
    await staff.defaultLot(lot.id);
    const refused = await makeOffer();
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'reserve_not_reached']);
    expect((await makeOffer({ hours: 0 })).status).to.equal(422);
    expect((await makeOffer({ hours: 169 })).status).to.equal(422);
    expect((await makeOffer({ below_reserve: true })).body.data.amount).to.equal('300.00');
  });

  it('are not for others: 404 for a stranger’s lot, and no offer for the suspended', async () => {
    const { lot, bob, eve } = await sold();
    const token = await service.tokenFor(await aUser(service.database), ['seller']);
    const path = `/api/v1/seller/lots/${lot.id}/second-chance`;
    expect((await service.call('POST', path, { token, body: {} })).status).to.equal(404);
    expect((await refusalOf(offerSecondChance(knex(), 999_999))).code).to.equal('not_found');
    await staff.defaultLot(lot.id);
    await knex()('users').where('id', bob.id).update({ suspended_at: new Date() });
    expect(await offerSecondChance(knex(), lot.id)).to.include({ user_id: eve.id });
  });

  it('and relisting the lot exclude each other', async () => {
    const { lot, auction, bob } = await sold();
    await staff.defaultLot(lot.id);
    const { owner_id: owner } = await knex()('memberships')
      .where({ team_id: auction.team_id, role: 'owner' })
      .first('user_id as owner_id');
    const token = await service.tokenFor(await knex()('users').where('id', owner).first(), ['seller']);
    const next = await anAuction(service.database, { team_id: auction.team_id, status: 'draft' });
    const relist = () =>
      service.call('POST', `/api/v1/seller/lots/${lot.id}/relist`, {
        token,
        headers: { 'x-team-id': String(auction.team_id) },
        body: { auction_id: next.id },
      });
    const offer = await offerSecondChance(knex(), lot.id);
    expect([(await relist()).status, (await relist()).body.code]).to.deep.equal([409, 'invalid_transition']);
    await declineOffer(knex(), offer.id, bob.id);
    expect((await relist()).status).to.equal(201);
    expect((await refusalOf(offerSecondChance(knex(), lot.id))).code).to.equal('invalid_transition');
  });

  it('are in the settlement, before the pay-out and as an adjustment after it', async () => {
    const early = await sold();
    await staff.defaultLot(early.lot.id);
    const offer = await offerSecondChance(knex(), early.lot.id);
    await acceptOffer(knex(), offer.id, early.bob.id);
    const settlement = await knex()('settlements').where('auction_id', early.auction.id).first();
    expect(settlement.status).to.equal('draft');
    expect(await knex()('settlement_lines').where('settlement_id', settlement.id).first()).to.include({
      hammer_cents: 30_000,
      settled_by: 'invoice',
    });
    expect((await staff.books(early.auction.id)).differences).to.deep.equal([]);

    const late = await sold();
    await staff.defaultLot(late.lot.id);
    const { id } = await knex()('settlements').where('auction_id', late.auction.id).first();
    await approveSettlement(knex(), id);
    await paySettlement(knex(), id);
    const chance = await offerSecondChance(knex(), late.lot.id);
    const accepted = await acceptOffer(knex(), chance.id, late.bob.id);
    expect(await knex()('settlement_adjustments').where('auction_id', late.auction.id).first()).to.include({
      amount_cents: 28_500,
      lot_id: late.lot.id,
    });
    await report(service, { object: paymentOf(accepted.invoice!) });
    const { totals, differences } = await staff.books(late.auction.id);
    expect(differences).to.deep.equal([]);
    expect(totals).to.include({ received_cents: 33_000, owed_to_seller_cents: 28_500 });
  });
});
