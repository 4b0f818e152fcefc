/** Lots in every state, and what is done to them over the API. */
import { isOneOf } from '../../engine/objects.ts';
import { LOT_POLICY, type LotAction, type LotState } from '../../src/shared/policy/lot-policy.ts';
import { hours } from '../support/selling-team.ts';
import type { Service } from '../support/service.ts';
import type { Cast } from './cast.ts';
import type { Act, Stage, Thing, Trial } from './cells.ts';
import { bringUp, digestOf, someAuctions } from './market-states.ts';

const lotOf = ({ more = {} }: Thing) => Number(more['lot']);

const seller = (method: string, path: string, body?: object): Act => ({
  method,
  path: `/api/v1/seller/lots/${path}`,
  ...(body === undefined ? {} : { body }),
});

const patch = (body: object): Trial<LotState> => ({
  act: (thing) => seller('PATCH', String(lotOf(thing)), body),
  forTeam: true,
});

/** To ask for the state that it has changes nothing. */
const move = (status: string, ...has: readonly LotState[]): Trial<LotState> => ({
  ...patch({ status }),
  changes: (state) => !has.includes(state),
});

const see = (variant: '' | 'private'): Trial<LotState> => ({
  act: (thing) => ({ method: 'GET', path: `/api/v1/lots/${lotOf(thing)}` }),
  ...{ open: true, variant },
});

const TRIALS: Readonly<Record<LotAction, Trial<LotState>>> = {
  see: see(''),
  see_private: see('private'),
  list: {
    act: ({ id }) => ({ method: 'GET', path: `/api/v1/lots?status=all&auction_id=${id}` }),
    open: true,
    shows: ({ body }, thing) => body.data.data.some((one: { id: number }) => one.id === lotOf(thing)),
  },
  read_as_seller: { act: (thing) => seller('GET', String(lotOf(thing))), forTeam: true },
  bid: {
    act: (thing) => ({
      method: 'POST',
      path: `/api/v1/lots/${lotOf(thing)}/bids`,
      body: { amount: '300.00' },
    }),
    suspendedToo: true,
  },
  describe: patch({ title: 'Renamed' }),
  amend: {
    act: (thing) =>
      seller('POST', `${lotOf(thing)}/amendments`, { changes: { title: 'Amended' }, reason: 'x' }),
    forTeam: true,
  },
  worsen_terms: patch({ starting_bid: '150.00' }),
  ease_terms: patch({ starting_bid: '50.00' }),
  lower_reserve: patch({ reserve_price: null }),
  schedule: move('scheduled', 'prepared', 'scheduled'),
  withdraw: move('withdrawn', 'withdrawn', 'discarded'),
  withdraw_as_staff: {
    act: (thing) => ({
      ...{ method: 'POST', path: `/office/lots/${lotOf(thing)}/withdraw` },
      form: { reason: 'Stolen goods' },
    }),
    ...{ page: true, inOffice: true },
  },
  delete: { act: (thing) => seller('DELETE', String(lotOf(thing))), forTeam: true },
  relist: {
    act: (thing) => seller('POST', `${lotOf(thing)}/relist`, { auction_id: Number(thing.more?.['into']) }),
    forTeam: true,
  },
};

export function lotStage(service: Service, cast: Cast): Stage<LotState, LotAction> {
  const live: { id: number; lot: number; state: LotState }[] = [];
  const userOf = (name: string) => cast.callers.find((one) => one.name === name)?.user?.id;
  return {
    policy: LOT_POLICY,
    trials: TRIALS,
    async make(state, house, count, variant) {
      const { knex } = service.database;
      const common = {
        team_id: cast.teams[house],
        privacy_setting: variant === 'private' ? 'private' : 'public',
      };
      const things = await someAuctions(service, count, {
        ...{ ...common, status: AUCTION_STATUS[state], lotStatus: STATUS[state], title: 'lots of cells' },
        start_time: hours(state === 'scheduled' ? 1 : -1),
        lot: { consignor_id: userOf('consignor'), reserve_price_cents: 50_000 },
      });
      const ids = things.map(({ id }) => id);
      if (state === 'discarded')
        await knex('lots').whereIn('auction_id', ids).update({ status: 'withdrawn' });
      await knex('registrations').insert(
        ids.map((auction_id) => ({ auction_id, user_id: userOf('registered'), status: 'approved' })),
      );
      const [into] = await someAuctions(service, 1, {
        ...{
          ...common,
          status: 'draft',
          lotStatus: 'draft',
          title: 'for lots listed again',
          start_time: hours(1),
        },
      });
      for (const { id, lot } of things) {
        live.push({ id, lot, state: variant === 'private' && state === 'contested' ? 'active' : state });
      }
      return things.map(({ id, lot }) => ({ id, more: { lot, into: into?.id ?? 0 } }));
    },
    ready: () =>
      bringUp(service, live, {
        contested: live.filter(({ state }) => state === 'contested').map(({ lot }) => lot),
        paused: live.filter(({ state }) => state === 'paused').map(({ id }) => id),
        closed: live.flatMap(({ lot, state }) => (isResult(state) ? [{ lot, result: state }] : [])),
      }),
    digest: async (thing) => {
      const relisted = await service.database.knex('lots').where('relisted_from', lotOf(thing)).select('id');
      return `${await digestOf(service, thing.id)} ${relisted.length}`;
    },
  };
}

const RESULTS = ['sold', 'passed', 'unsold'] as const;
const isResult = (state: string): state is (typeof RESULTS)[number] => isOneOf(RESULTS, state);

const STATUS = {
  ...{ draft: 'draft', prepared: 'scheduled', scheduled: 'scheduled', active: 'active', contested: 'active' },
  ...{
    paused: 'active',
    sold: 'active',
    passed: 'active',
    unsold: 'active',
    withdrawn: 'withdrawn',
    discarded: 'draft',
  },
} as const satisfies Record<LotState, string>;

const AUCTION_STATUS = {
  ...{ draft: 'draft', prepared: 'draft', scheduled: 'scheduled', active: 'active', contested: 'active' },
  ...{
    paused: 'active',
    sold: 'active',
    passed: 'active',
    unsold: 'active',
    withdrawn: 'active',
    discarded: 'draft',
  },
} as const satisfies Record<LotState, string>;
