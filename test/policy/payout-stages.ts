/** What is paid out, sold again and subscribed to: settlements, offers, subscriptions. */

import { approveSettlement, paySettlement } from '../../src/billing/settlements/settlement-decisions.ts';
import { settleAuctions } from '../../src/billing/settlements/settlements.ts';
import { acceptOffer, declineOffer, expireOffers } from '../../src/sales/offers/answer-offer.ts';
import { offerSecondChance } from '../../src/sales/offers/offers.ts';
import { OFFER_POLICY, type OfferAction } from '../../src/shared/policy/offer-policy.ts';
import { SETTLEMENT_POLICY, type SettlementAction } from '../../src/shared/policy/settlement-policy.ts';
import { SUBSCRIPTION_POLICY, type SubscriptionAction } from '../../src/shared/policy/subscription-policy.ts';
import type { OfferStatus, SettlementStatus, StatusOf } from '../../src/shared/statuses/billing-statuses.ts';
import { aUser } from '../support/builders.ts';
import { hours } from '../support/selling-team.ts';
import type { Service } from '../support/service.ts';
import type { Cast } from './cast.ts';
import type { Stage, Thing, Trial } from './cells.ts';
import { each } from './each.ts';
import { someAuctions } from './market-states.ts';
import { DUE, inOffice, ofNobodysTeam, someInvoices } from './money-stages.ts';
import { personOf, rowsOf, teamsLike } from './own-teams.ts';

let count = 0;

export function settlementStage(service: Service, cast: Cast): Stage<SettlementStatus, SettlementAction> {
  const move = (name: string) => inOffice<SettlementStatus>(({ id }) => `settlements/${id}/${name}`);
  return {
    policy: SETTLEMENT_POLICY,
    trials: {
      list: {
        act: ({ more }) => ({ method: 'GET', path: `/api/v1/settlements?auction_id=${more?.['auction']}` }),
        ...{ forTeam: true, shows: ({ body }) => body.data.length === 1 },
      },
      approve: move('approve'),
      pay: move('pay'),
      reopen: move('reopen'),
    },
    async make(status, house, wanted) {
      const { knex } = service.database;
      // A draft waits for the invoice of its one sale.
      const due = await someInvoices(service, wanted, {
        ...{ kind: 'winner', status: status === 'draft' ? 'open' : 'paid', teamId: cast.teams[house] },
        userId: personOf(cast, 'own').id,
      });
      await settleAuctions(knex);
      const auctions = due.map(({ more }) => Number(more?.['auction']));
      const rows = await knex('settlements').whereIn('auction_id', auctions).select('id', 'auction_id');
      await each(rows, async ({ id }) => {
        if (status === 'approved' || status === 'paid') await approveSettlement(knex, id);
        if (status === 'paid') await paySettlement(knex, id);
      });
      return rows.map(({ id, auction_id: auction }) => ({ id, more: { auction } }));
    },
    digest: ({ id }) => rowsOf(service, ['settlements', { id }]),
  };
}

export function offerStage(service: Service, cast: Cast): Stage<OfferStatus, OfferAction> {
  const answer = (verb: string): Trial<OfferStatus> => ({
    act: ({ id }) => ({ method: 'POST', path: `/api/v1/offers/${id}/${verb}` }),
  });
  return {
    policy: OFFER_POLICY,
    takes: ofNobodysTeam,
    trials: {
      list: {
        act: () => ({ method: 'GET', path: '/api/v1/me/offers?per_page=100' }),
        shows: ({ body }, { id }) => body.data.some((one: { id: number }) => one.id === id),
      },
      accept: answer('accept'),
      decline: answer('decline'),
      make: {
        act: ({ more }) => ({
          ...{ method: 'POST', path: `/api/v1/seller/lots/${more?.['lot']}/second-chance` },
          body: { below_reserve: true },
        }),
        forTeam: true,
      },
      accept_bid: {
        act: ({ more }) => ({ method: 'POST', path: `/api/v1/seller/lots/${more?.['lot']}/accept-bid` }),
        forTeam: true,
      },
    },
    async make(status, house, wanted) {
      const { knex } = service.database;
      const user_id = personOf(cast, 'own').id;
      const team_id = cast.teams[house];
      const sales = await someAuctions(service, wanted, {
        ...{ team_id, status: 'ended', lotStatus: 'passed', title: 'Offered', privacy_setting: 'public' },
        ...{ start_time: hours(-48), lot: { closed_at: hours(-1) } },
      });
      const rival = await aUser(service.database);
      const things: Thing[] = [];
      for (const { id: auction_id, lot } of sales) {
        await insertBid(service, { lot_id: lot, auction_id, user_id, cents: DUE });
        // Whom the next offer is for.
        await insertBid(service, { lot_id: lot, auction_id, user_id: rival.id, cents: DUE - 1_00 });
        const { id } = await offerSecondChance(knex, lot);
        if (status === 'accepted') await acceptOffer(knex, id, user_id);
        if (status === 'declined') await declineOffer(knex, id, user_id);
        if (status === 'expired')
          await knex('offers')
            .where({ id })
            .update({ expires_at: hours(-1) });
        things.push({ id, more: { lot } });
      }
      if (status === 'expired') await expireAll(service);
      return things;
    },
    digest: ({ more }) =>
      rowsOf(service, ['offers', { lot_id: more?.['lot'] }], ['invoices', { lot_id: more?.['lot'] }]),
  };
}

/** A bid as it is projected: of a sale that nobody holds any more, the journal is not asked. */
function insertBid(
  { database: { knex } }: Service,
  { cents, ...bid }: Record<'lot_id' | 'auction_id' | 'user_id' | 'cents', number>,
) {
  count += 1;
  return knex('bids').insert({
    ...bid,
    ...{
      bid_id: `cells-${count}`,
      sequence: count,
      ceiling_cents: cents,
      amount_cents: cents,
      placed_at: hours(-24),
    },
    ...{ listed: true, outcome: 'leading', channel: 'online', alias: 'A bidder', paddle_number: '9' },
    ...{ bidder_key: `u:${bid.user_id}`, entry_hash: 'of cells' },
  });
}

/** The clock ends a hundred at once. */
async function expireAll({ database: { knex } }: Service): Promise<void> {
  while ((await expireOffers(knex)) > 0);
}

type SubscriptionState = StatusOf<'subscription'>;

export function subscriptionStage(
  service: Service,
  cast: Cast,
): Stage<SubscriptionState, SubscriptionAction> {
  const { knex } = service.database;
  const context = ({ id }: Thing) => ({ 'x-team-id': String(id) });
  return {
    policy: SUBSCRIPTION_POLICY,
    trials: {
      read: {
        act: (thing) => ({ method: 'GET', path: '/api/v1/subscriptions/current', headers: context(thing) }),
        forTeam: true,
      },
      subscribe: {
        act: (thing) => ({
          ...{ method: 'POST', path: '/api/v1/subscriptions', headers: context(thing) },
          body: { plan: 'of-cells-large' },
        }),
        forTeam: true,
      },
    },
    async make(status, house, wanted) {
      const plan = async (slug: string) =>
        (await knex('plans').insert({ slug, name: slug }).onConflict('slug').merge().returning('id'))[0].id;
      const [plan_id] = [await plan('of-cells'), await plan('of-cells-large')];
      const teams = await teamsLike(service, cast, house, wanted);
      await knex('subscriptions').insert(
        teams.map((team_id) => ({ team_id, user_id: personOf(cast, 'owner').id, plan_id, status })),
      );
      return teams.map((id) => ({ id }));
    },
    digest: ({ id }) => rowsOf(service, ['subscriptions', { team_id: id }]),
  };
}
