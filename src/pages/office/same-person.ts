/** What a person's page says of a suspension, and of others who may be the same person. */
import type { Knex } from 'knex';
import { listActivity } from '../../accounts/activity/activity.ts';
import { User } from '../../accounts/models/user.model.ts';
import { sharedOrigins } from '../../bidding/origins/shared-origins.ts';
import type { Cell, Table } from './office.ts';
import { personCell } from './origin-cells.ts';

const MAX_PHONES = 20;

/** Since when, by whom and why; nothing but “no” where they are not suspended. */
export async function suspensionFacts(knex: Knex, user: User): Promise<[string, Cell][]> {
  if (user.suspended_at === null) return [['Suspended', 'no']];
  const found = await listActivity(knex, { userId: user.id, action: 'suspend_user', limit: 10 });
  const by = found.find(({ about_user_id }) => about_user_id === user.id);
  const whom: Cell =
    by === undefined || by.user_id === null
      ? 'command line'
      : { href: `/office/people/${by.user_id}`, text: by.user_email ?? `person ${by.user_id}` };
  return [
    ['Suspended', { time: user.suspended_at }],
    ['Suspended by', whom],
    ['Why', user.suspended_reason],
    ['Leading bids at the suspension', leadsFact(user)],
  ];
}

/** Leads that were left are found among the lots, before the close and after it. */
function leadsFact({ id, suspended_leads }: User): Cell {
  if (suspended_leads === null) return null;
  if (suspended_leads === 'voided') return 'voided';
  return { href: `/office/lots?leader=${id}`, text: 'left: show the lots' };
}

/** Others who bid from the same place in the same sales, or gave the same telephone number. */
export async function samePersonTable(knex: Knex, user: User): Promise<Table> {
  const [shared, phones] = await Promise.all([sharedOrigins(knex, user.id), withPhoneOf(knex, user)]);
  const seen = new Map(shared.map((one) => [one.id, one]));
  const people = new Map([...shared, ...phones].map(({ id, name }) => [id, name]));
  const withPhone = new Set(phones.map(({ id }) => id));
  const same = (isSame: boolean | undefined) => (isSame === true ? 'Same' : null);
  return {
    heading: 'Could be the same person',
    columns: [
      'Person',
      'Address they bid from',
      'Browser’s name and version',
      'Telephone',
      'Sales',
      'Last seen',
    ],
    rows: [...people].map(([id, name]): Cell[] => {
      const one = seen.get(id);
      return [
        personCell({ id, name }),
        same(one?.same_address),
        same(one?.same_browser),
        same(withPhone.has(id)),
        one?.sales ?? null,
        one === undefined ? null : { time: one.seen_at },
      ];
    }),
    empty: 'Nobody shares an address, a browser or a telephone number with them.',
  };
}

async function withPhoneOf(knex: Knex, { id, phone }: User): Promise<Pick<User, 'id' | 'name'>[]> {
  if (phone === null || phone.trim() === '') return [];
  return User.query(knex).where({ phone }).whereNot({ id }).select('id', 'name').limit(MAX_PHONES);
}
