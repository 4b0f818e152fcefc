/** What belongs to auctions and lots: registrations, bids, consignors, and platforms that are let in. */
import { createHash, randomUUID } from 'node:crypto';
import { signSimulcast } from '../../adapters/webhooks/simulcast-signature.ts';
import { addPlatform } from '../../src/bidding/simulcast/platform-registry.ts';
import { voidBid } from '../../src/bidding/staff/void-bid.ts';
import { BID_POLICY, type BidAction, type BidState } from '../../src/shared/policy/bid-policy.ts';
import {
  CONSIGNOR_POLICY,
  type ConsignorAction,
  type ConsignorState,
} from '../../src/shared/policy/consignor-policy.ts';
import {
  type ConsentAction,
  type ConsentState,
  PLATFORM_POLICY,
} from '../../src/shared/policy/platform-policy.ts';
import { REGISTRATION_POLICY, type RegistrationAction } from '../../src/shared/policy/registration-policy.ts';
import { aUser } from '../support/builders.ts';
import { hours } from '../support/selling-team.ts';
import type { Service } from '../support/service.ts';
import type { Caller, Cast } from './cast.ts';
import type { Act, Stage, Thing, Trial } from './cells.ts';
import { each } from './each.ts';
import { bringUp, someAuctions } from './market-states.ts';
import { personOf, rowsOf } from './own-teams.ts';

let count = 0;
const ofNobodysTeam = ({ house, signs }: Caller) => house === 'approved' && signs === undefined;
export const of = ({ more }: Thing, name: string) => String(more?.[name]);

export const running = (team_id: number, more: object = {}) => ({
  ...{ team_id, status: 'active', lotStatus: 'active', title: 'Of cells', privacy_setting: 'public' },
  ...{ start_time: hours(-1), ...more },
});

type RegistrationState = (typeof REGISTRATION_POLICY)['states'][number];

export function registrationStage(
  service: Service,
  cast: Cast,
): Stage<RegistrationState, RegistrationAction> {
  const seller = (thing: Thing) => `/api/v1/seller/auctions/${of(thing, 'auction')}/registrations`;
  return {
    policy: REGISTRATION_POLICY,
    trials: {
      request: {
        act: (thing) => ({ method: 'POST', path: `/api/v1/auctions/${of(thing, 'auction')}/registration` }),
        changes: () => false,
      },
      list: {
        act: (thing) => ({ method: 'GET', path: seller(thing) }),
        forTeam: true,
      },
      decide: {
        act: (thing) => ({
          ...{ method: 'PATCH', path: `${seller(thing)}/${thing.id}` },
          body: { status: 'declined', reason: 'Unknown' },
        }),
        forTeam: true,
      },
      invite: {
        act: (thing) => ({
          ...{ method: 'POST', path: seller(thing), body: { email: `invited-${++count}@example.com` } },
        }),
        forTeam: true,
      },
    },
    async make(status, house, wanted) {
      const sales = await someAuctions(service, wanted, running(cast.teams[house]));
      const user_id = personOf(cast, 'own').id;
      const rows = sales.map(({ id }) => ({ auction_id: id, user_id, status, accepted_at: new Date() }));
      const made: { id: number; auction_id: number }[] = await service.database
        .knex('registrations')
        .insert(rows)
        .returning(['id', 'auction_id']);
      return made.map(({ id, auction_id }) => ({ id, more: { auction: auction_id } }));
    },
    ready: async () => void (await service.publish()),
    digest: ({ more }) => rowsOf(service, ['registrations', { auction_id: more?.['auction'] }]),
  };
}

export function bidStage(service: Service, cast: Cast): Stage<BidState, BidAction> {
  const made: {
    id: number;
    lot: number;
    state: BidState;
    thing: { id: number; more: { lot: number; bid: string } };
  }[] = [];
  const isVoided = ({ state }: { state: BidState }) => state === 'voided';
  const form = (thing: Thing) => ({ reason: 'An error', bid: of(thing, 'bid') });
  return {
    policy: BID_POLICY,
    takes: ofNobodysTeam,
    trials: {
      read: {
        act: (thing) => ({ method: 'GET', path: `/api/v1/lots/${of(thing, 'lot')}/bids` }),
        open: true,
      },
      explain: {
        act: (thing) => ({ method: 'GET', path: `/api/v1/bids/${of(thing, 'bid')}/explanation` }),
        open: true,
      },
      take_back: { act: (thing) => ({ method: 'DELETE', path: `/api/v1/bids/${of(thing, 'bid')}` }) },
      void: {
        act: (thing) => ({
          ...{ method: 'POST', path: `/office/lots/${of(thing, 'lot')}/void-bid`, form: form(thing) },
        }),
        ...{ page: true, inOffice: true },
      },
    },
    async make(state, house, wanted) {
      const sales = await someAuctions(service, wanted, running(cast.teams[house]));
      return sales.map(({ id, lot }) => {
        const thing = { id: lot, more: { lot, bid: '' } };
        made.push({ id, lot, state, thing });
        return thing;
      });
    },
    async ready() {
      await service.publish();
      const own = cast.callers.find(({ name }) => name === 'own')?.token;
      const rival = await service.tokenFor(await aUser(service.database));
      const bid = async (lot: number, token: string | undefined, amount: string) =>
        (await service.call('POST', `/api/v1/lots/${lot}/bids`, { token, body: { amount } })).body.data;
      await each(made, async ({ lot, state, thing }) => {
        thing.more.bid = (await bid(lot, own, '200.00')).id;
        if (state === 'outbid') await bid(lot, rival, '400.00');
      });
      await each(made.filter(isVoided), async ({ thing }) => {
        await voidBid(service.backends, thing.more.bid, 'An error');
      });
      const closed = made.flatMap(({ lot, state }) =>
        state === 'over' ? [{ lot, result: 'unsold' as const }] : [],
      );
      await bringUp(service, made, { contested: [], paused: [], closed });
    },
    digest: async ({ id }) => {
      const { auction_id } = await service.database.knex('lots').where({ id }).first('auction_id');
      return String((await service.backends.journal.load(auction_id, id))?.sequence);
    },
  };
}

export function consignorStage(service: Service, cast: Cast): Stage<ConsignorState, ConsignorAction> {
  const { knex } = service.database;
  const path = '/api/v1/seller/consignor-links';
  const shownLink = (thing: Thing) => Number(of(thing, 'link'));
  return {
    policy: CONSIGNOR_POLICY,
    takes: (caller) => ofNobodysTeam(caller) || caller.signs === 'holder',
    trials: {
      read_by_link: {
        // Others have one that was revoked.
        act: (thing, { signs }) => ({
          ...{ method: 'GET', path: `/consignor/${of(thing, signs === 'holder' ? 'secret' : 'revoked')}` },
        }),
        ...{ page: true, open: true },
      },
      list: {
        act: () => ({ method: 'GET', path: '/api/v1/consignments?per_page=100' }),
        shows: ({ body }, { id }) => body.data.some((one: { lot_id: number }) => one.lot_id === id),
      },
      accept: {
        act: ({ id }) => ({ method: 'POST', path: `/api/v1/consignments/${id}/accept` }),
        changes: (state) => state === 'named',
      },
      list_links: {
        act: () => ({ method: 'GET', path }),
        ...{
          forTeam: true,
          shows: ({ body }, thing) =>
            body.data.links.some((one: { id: number }) => one.id === shownLink(thing)),
        },
      },
      revoke_link: {
        act: (thing) => ({ method: 'DELETE', path: `${path}/${shownLink(thing)}` }),
        forTeam: true,
      },
    },
    async make(state, house, wanted) {
      const team_id = cast.teams[house];
      const own = personOf(cast, 'own').id;
      const lot = {
        named_consignor_id: own,
        ...(state === 'accepted' ? { consignor_id: own, consignment_accepted: true } : {}),
      };
      const status = state === 'over' ? { lotStatus: 'unsold' } : { lotStatus: 'draft' };
      const sales = await someAuctions(service, wanted, {
        ...running(team_id, { status: state === 'over' ? 'ended' : 'draft' }),
        ...{ ...status, lot },
      });
      const secrets = sales.map(() => String(++count).padStart(42, 'c'));
      const linkRow = (secret: string) => {
        const token_hash = createHash('sha256').update(secret).digest('hex');
        return { team_id, name: 'Miller', token_hash };
      };
      const links: { id: number }[] = await knex('consignor_links')
        .insert(secrets.map((secret) => linkRow(`${secret}0`)))
        .returning('id');
      const revoked_at = knex.fn.now();
      await knex('consignor_links').insert(
        secrets.map((secret) => ({ ...linkRow(`${secret}1`), revoked_at })),
      );
      return sales.map((sale, at) => ({
        id: sale.lot,
        more: { link: links[at]?.id ?? 0, secret: `${secrets[at]}0`, revoked: `${secrets[at]}1` },
      }));
    },
    // When a link was last opened is no change.
    digest: async (thing) => {
      const link = await knex('consignor_links').where('id', shownLink(thing)).first('revoked_at');
      return `${await rowsOf(service, ['lots', { id: thing.id }])} ${JSON.stringify(link)}`;
    },
  };
}

export async function platformStage(
  service: Service,
  cast: Cast,
): Promise<Stage<ConsentState, ConsentAction>> {
  const { knex, config } = { ...service.backends, config: service.config };
  const secrets = new Map<string | undefined, string>();
  for (const [signs, slug] of [
    ['platform', 'hall'],
    ['other_platform', 'barn'],
  ] as const)
    secrets.set(signs, (await addPlatform(knex, config.appSecrets, slug)).secret);
  const says = (kind: 'bid' | 'sold', fields: object): Trial<ConsentState> => ({
    act({ id }, { signs }): Act {
      count += 1;
      const body = { event_id: `cells-${randomUUID()}`, sequence: count, lot_id: id, ...fields };
      const timestamp = Math.floor(Date.now() / 1_000);
      const signature = signSimulcast(secrets.get(signs) ?? 'of nobody', timestamp, JSON.stringify(body));
      return {
        ...{
          method: 'POST',
          path: `/webhooks/${kind}/${signs === 'other_platform' ? 'barn' : 'hall'}`,
          body,
        },
        headers: { 'x-timestamp': String(timestamp), 'x-signature': signature },
      };
    },
    signed: true,
  });
  const bidder = { paddle: '88', external_id: 'b-9' };
  return {
    policy: PLATFORM_POLICY,
    takes: ({ house }) => house === 'approved',
    trials: {
      bid: says('bid', { amount: '500.00', bidder }),
      sell: says('sold', { result: 'sold', hammer_price: '700.00', bidder }),
    },
    async make(state, house, wanted) {
      const sales = await someAuctions(service, wanted, {
        ...running(cast.teams[house], { type: state === 'timed' ? 'timed' : 'simulcast' }),
        simulcast_platforms: state === 'left_out' ? [] : ['hall'],
      });
      return sales.map(({ lot }) => ({ id: lot }));
    },
    ready: async () => void (await service.publish()),
    digest: async ({ id }) => {
      const { auction_id } = await knex('lots').where({ id }).first('auction_id');
      return String((await service.backends.journal.load(auction_id, id))?.sequence);
    },
  };
}
