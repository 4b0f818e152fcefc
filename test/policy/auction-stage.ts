/** Auctions in every state, and what is done to them over the API. */
import {
  AUCTION_POLICY,
  type AuctionAction,
  type AuctionState,
} from '../../src/shared/policy/auction-policy.ts';
import { hours } from '../support/selling-team.ts';
import type { Service } from '../support/service.ts';
import type { Cast } from './cast.ts';
import type { Act, Stage, Trial } from './cells.ts';
import { bringUp, digestOf, someAuctions } from './market-states.ts';

const seller = (method: string, path: string, body?: object): Act => ({
  method,
  path: `/api/v1/seller/${path}`,
  ...(body === undefined ? {} : { body }),
});

const patch = (body: object): Trial<AuctionState> => ({
  act: ({ id }) => seller('PATCH', `auctions/${id}`, body),
  forTeam: true,
});

/** To ask for the state that it has changes nothing. */
const move = (status: string, ...has: readonly AuctionState[]): Trial<AuctionState> => ({
  ...patch({ status }),
  changes: (state) => !has.includes(state),
});

const listed: Trial<AuctionState> = {
  act: ({ id }) => ({ method: 'GET', path: `/api/v1/auctions?search=cell${id}&per_page=100` }),
  open: true,
  shows: ({ body }, { id }) => body.data.data.some((one: { id: number }) => one.id === id),
};

const trialsOf = ({ database: { knex } }: Service): Readonly<Record<AuctionAction, Trial<AuctionState>>> => ({
  see: { act: ({ id }) => ({ method: 'GET', path: `/auctions/${id}` }), open: true, page: true },
  see_private: {
    act: ({ id }) => ({ method: 'GET', path: `/auctions/${id}` }),
    ...{ open: true, page: true, variant: 'private' },
  },
  read: { act: ({ id }) => ({ method: 'GET', path: `/api/v1/auctions/${id}` }), open: true },
  read_private: {
    act: ({ id }) => ({ method: 'GET', path: `/api/v1/auctions/${id}` }),
    ...{ open: true, variant: 'private' },
  },
  list: listed,
  read_as_seller: { act: ({ id }) => seller('GET', `auctions/${id}`), forTeam: true },
  print: {
    act: ({ id }) => seller('POST', `auctions/${id}/papers`, { kind: 'labels', format: 'csv' }),
    ...{ forTeam: true, changes: () => false },
    // No worker makes them, and a team has twenty under way at most.
    tidy: async () => void (await knex('papers').delete()),
  },
  describe: patch({ title: 'Renamed' }),
  worsen_terms: patch({ buyer_premium_percentage: '19.00' }),
  ease_terms: patch({ buyer_premium_percentage: '1.00' }),
  touch_bidders: patch({ registration: { require_verified: true }, reason: 'Required by law' }),
  publish: move('scheduled', 'scheduled'),
  pause: move('paused', 'paused'),
  resume: move('active', 'active', 'contested'),
  cancel: move('cancelled', 'cancelled', 'discarded'),
  add_lot: {
    act: ({ id }) => seller('POST', 'lots', { auction_id: id, title: 'New', starting_bid: '1.00' }),
    forTeam: true,
  },
  publish_lot: {
    act: ({ id }) =>
      seller('POST', 'lots', { auction_id: id, title: 'New', starting_bid: '1.00', status: 'scheduled' }),
    forTeam: true,
  },
  delete: { act: ({ id }) => seller('DELETE', `auctions/${id}`), forTeam: true },
});

export function auctionStage(service: Service, cast: Cast): Stage<AuctionState, AuctionAction> {
  const live: { id: number; lot: number; state: AuctionState }[] = [];
  return {
    policy: AUCTION_POLICY,
    trials: trialsOf(service),
    takes: ({ name, signs }) => name !== 'consignor' && signs === undefined,
    async make(state, house, count, variant) {
      const status = STATUS[state];
      const things = await someAuctions(service, count, {
        ...{ team_id: cast.teams[house], status, lotStatus: LOT_STATUS[status], title: 'cell' },
        privacy_setting: variant === 'private' ? 'private' : 'public',
        start_time: hours(state === 'scheduled' || state === 'draft' ? 1 : -1),
      });
      const ids = things.map(({ id }) => id);
      const { knex } = service.database;
      await knex('auctions')
        .whereIn('id', ids)
        .update({ title: knex.raw("'cell' || id || ' auction'") });
      for (const { id, lot } of things)
        live.push({ id, lot, state: variant === 'private' && state === 'contested' ? 'active' : state });
      if (state === 'discarded') await knex('auctions').whereIn('id', ids).update({ status: 'cancelled' });
      const registered = cast.callers.find(({ name }) => name === 'registered')?.user?.id;
      await knex('registrations').insert(
        ids.map((auction_id) => ({ auction_id, user_id: registered, status: 'approved' })),
      );
      return things;
    },
    ready: () =>
      bringUp(service, live, {
        contested: live.filter(({ state }) => state === 'contested').map(({ lot }) => lot),
        paused: live.filter(({ state }) => state === 'paused').map(({ id }) => id),
      }),
    digest: ({ id }) => digestOf(service, id),
  };
}

const STATUS = {
  draft: 'draft',
  scheduled: 'scheduled',
  active: 'active',
  contested: 'active',
  paused: 'active',
  ended: 'ended',
  settled: 'settled',
  cancelled: 'cancelled',
  discarded: 'draft',
} as const;

const LOT_STATUS = {
  draft: 'draft',
  scheduled: 'scheduled',
  active: 'active',
  ended: 'unsold',
  settled: 'unsold',
  cancelled: 'withdrawn',
} as const;
