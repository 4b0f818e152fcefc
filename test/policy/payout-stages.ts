/** What is paid out, sold again and subscribed to: settlements, offers, subscriptions. */
import { OFFER_POLICY, type OfferAction } from '../../src/shared/policy/offer-policy.ts';
import { SETTLEMENT_POLICY, type SettlementAction } from '../../src/shared/policy/settlement-policy.ts';
import { SUBSCRIPTION_POLICY, type SubscriptionAction } from '../../src/shared/policy/subscription-policy.ts';
import type { OfferStatus, SettlementStatus, StatusOf } from '../../src/shared/statuses/billing-statuses.ts';
import { aUser } from '../support/builders.ts';
import { hours } from '../support/selling-team.ts';
import type { Service } from '../support/service.ts';
import type { Cast } from './cast.ts';
import type { Stage, Thing, Trial } from './cells.ts';
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
      const team_id = cast.teams[house];
      // A draft waits for the invoice of its one sale.
      const terms = { kind: 'winner', status: 'open', teamId: team_id } as const;
      const due = await someInvoices(service, wanted, { ...terms, userId: personOf(cast, 'own').id });
      const things: Thing[] = [];
      for (const { id: invoice_id, more } of due) {
        count += 1;
        const auction_id = Number(more?.['auction']);
        if (status !== 'draft')
          await service.database.knex('invoices').where('id', invoice_id).update({ status: 'voided' });
        const [row] = await service.database
          .knex('settlements')
          .insert({
            ...{ auction_id, team_id, status, currency: 'usd', commission_bps: 0 },
            statement_number: `SET-2031-${String(count).padStart(5, '0')}`,
          })
          .returning('id');
        things.push({ id: row.id, more: { auction: auction_id } });
      }
      return things;
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
        // Whom the next offer is for.
        await insertBid(service, { lot_id: lot, auction_id, user_id: rival.id });
        const [invoice] =
          status === 'accepted'
            ? await someInvoices(service, 1, {
                kind: 'winner',
                status: 'open',
                teamId: team_id,
                userId: user_id,
              })
            : [];
        if (invoice !== undefined)
          await knex('invoices').where('id', invoice.id).update({ lot_id: lot, auction_id });
        const [row] = await knex('offers')
          .insert({
            ...{ lot_id: lot, auction_id, user_id, amount_cents: DUE, currency: 'usd', status },
            ...{ expires_at: hours(status === 'expired' ? -1 : 24), invoice_id: invoice?.id ?? null },
          })
          .returning('id');
        things.push({ id: row.id, more: { lot } });
      }
      return things;
    },
    digest: ({ more }) =>
      rowsOf(service, ['offers', { lot_id: more?.['lot'] }], ['invoices', { lot_id: more?.['lot'] }]),
  };
}

/** A bid as it is projected: of a sale that nobody holds any more, the journal is not asked. */
function insertBid(
  { database: { knex } }: Service,
  bid: { readonly lot_id: number; readonly auction_id: number; readonly user_id: number },
) {
  count += 1;
  return knex('bids').insert({
    ...bid,
    ...{
      bid_id: `cells-${count}`,
      sequence: 1,
      ceiling_cents: DUE,
      amount_cents: DUE,
      placed_at: hours(-24),
    },
    ...{ listed: true, outcome: 'leading', channel: 'online', alias: 'A bidder', paddle_number: '9' },
    ...{ bidder_key: `u:${bid.user_id}`, entry_hash: 'of cells' },
  });
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
