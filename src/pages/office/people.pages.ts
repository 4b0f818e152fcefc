/** `/office/people`: finding somebody, and on their page verifying, suspending, letting back in, ending sessions. */

import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import { readTwoFactor } from '../../accounts/credentials/two-factor.ts';
import type { TaxNumber } from '../../accounts/models/tax-number.model.ts';
import { teamsOf } from '../../accounts/models/team-members.ts';
import { User } from '../../accounts/models/user.model.ts';
import { readVerification } from '../../accounts/people/verification.ts';
import { listTaxNumbers } from '../../accounts/tax-numbers/tax-numbers.ts';
import { Id } from '../../shared/fields.schema.ts';
import { likeAnywhere } from '../../shared/like-anywhere.ts';
import { TAX_NUMBERS } from './money-lists.ts';
import type { Cell, OfficeList, OfficePage, OfficeParts } from './office.ts';
import type { Subject } from './office-action.ts';
import { type PeopleParts, personActions } from './person-actions.ts';
import { historyPages, historyTables } from './person-history.ts';
import { samePersonTable, suspensionFacts } from './same-person.ts';
import {
  isNumber,
  type RowTable,
  requestedPage,
  StatusSearch,
  searchList,
  wordsFilter,
} from './search-list.ts';
import { selectableList } from './selection.ts';
import { subjectPages } from './subject-pages.ts';

const PATH = '/office/people';

const ACCOUNT_FILTERS = [
  ['', 'Everybody'],
  ['pending', 'Waiting for verification'],
  ['verified', 'Verified'],
  ['suspended', 'Suspended'],
  ['admin', 'Admins'],
] as const;

/** Name in the address → column. */
const SORTS = { name: 'name', email: 'email', since: 'created_at' };

export function peoplePages(parts: PeopleParts): Endpoint[] {
  const subject = person(parts);
  return [
    ...selectableList(parts, peopleList(parts), subject),
    ...subjectPages(parts, subject),
    ...historyPages(parts),
  ];
}

/** People as lists of them show them. */
export const PEOPLE: RowTable<User> = {
  columns: [
    { name: 'Name', sort: 'name' },
    { name: 'Email address', sort: 'email' },
    'State',
    { name: 'Since', sort: 'since' },
  ],
  row: (user) => [
    { href: `${PATH}/${user.id}`, text: user.name },
    user.email,
    { pill: stateOf(user) },
    { time: user.created_at },
  ],
};

function peopleList(parts: OfficeParts): OfficeList<typeof StatusSearch> {
  return searchList({
    path: PATH,
    operationId: 'officePeoplePage',
    summary: 'People with an account',
    query: StatusSearch,
    section: 'people',
    heading: 'People',
    filters: ({ q, state }) => [
      wordsFilter('Name, email address or id', q),
      { name: 'state', label: 'State', value: state, options: ACCOUNT_FILTERS },
    ],
    find: ({ q, state, ...requested }) =>
      requestedPage(searchPeople(parts.knex, q.trim(), state), requested, SORTS, 'id'),
    ...PEOPLE,
    pick: ({ id, name }) => ({ id: String(id), name }),
    empty: 'Nobody was found.',
  });
}

/** People by name, address or number, in a state. */
export function searchPeople(knex: Knex, q: string, state: string) {
  const query = User.query(knex);
  if (q !== '') {
    query.where((own) => {
      own.whereILike('email', likeAnywhere(q)).orWhereILike('name', likeAnywhere(q));
      if (isNumber(q)) own.orWhere('id', Number(q));
    });
  }
  if (state === 'suspended') query.whereNotNull('suspended_at');
  if (state === 'admin') query.where('is_admin', true);
  if (state === 'pending' || state === 'verified') query.where('verification_status', state);
  return query;
}

function stateOf({ suspended_at, verification_status }: User): string {
  return suspended_at === null ? verification_status : 'suspended';
}

const PersonParams = Type.Object({ person: Id });

/** One person, and what staff do about them. */
export function person(parts: PeopleParts): Subject<User, typeof PersonParams> {
  return {
    path: `${PATH}/{person}`,
    operationId: 'officePersonPage',
    summary: 'One person with an account',
    params: PersonParams,
    async find(knex, params, lock) {
      const query = User.query(knex).findById(params.person);
      return (await (lock ? query.forUpdate() : query)) ?? null;
    },
    show: (user) => personPage(parts.knex, user),
    actions: personActions(parts),
  };
}

async function personPage(knex: Knex, user: User): Promise<OfficePage> {
  const [verification, teams, counts, factor, taxNumbers, histories, suspension, same] = await Promise.all([
    readVerification(knex, user.id),
    teamsOf(knex, user.id).orderBy('teams.id'),
    countsOf(knex, user.id),
    readTwoFactor(knex, user.id),
    listTaxNumbers(knex, user.id),
    historyTables(knex, user),
    suspensionFacts(knex, user),
    samePersonTable(knex, user),
  ]);
  const facts: [string, Cell][] = [
    ['Number', String(user.id)],
    ['Email address', user.email],
    ['State', { pill: stateOf(user) }],
    ['Phone', user.phone],
    ['Account since', { time: user.created_at }],
    ['Address confirmed', user.email_confirmed_at === null ? 'no' : { time: user.email_confirmed_at }],
    ...suspension,
    ['Second factor', factor.enabled ? 'on' : 'off'],
    ['Admin', user.is_admin ? 'yes' : 'no'],
    ['Bids', counts.bids],
    ['Leads or won', { href: `/office/lots?leader=${user.id}`, text: 'Show the lots' }],
    [
      'Invoices',
      { href: `/office/money/invoices?q=${encodeURIComponent(user.email)}`, text: `${counts.invoices}` },
    ],
    ['Tax numbers', taxNumbersFact(taxNumbers)],
    ['Activity', { href: `/office/activity?person=${encodeURIComponent(user.email)}`, text: 'Show' }],
  ];
  return {
    section: 'people',
    heading: ['{0}', user.name],
    crumbs: [[PATH, 'People']],
    facts,
    tables: [
      ...histories,
      same,
      {
        heading: 'Verification',
        columns: ['Check', 'State', 'Since'],
        rows: verification.checks.map(({ type, status, verified_at }) => [
          type,
          { pill: status },
          verified_at === null ? null : { time: verified_at },
        ]),
        empty: 'There is no check.',
      },
      {
        heading: 'Teams',
        columns: ['Team', 'Role'],
        rows: teams.map(({ id, name, role }) => [{ href: `/office/sellers/${id}`, text: name }, role]),
        empty: 'In no team.',
      },
    ],
  };
}

/** Those that wait are decided on the queue’s page. */
function taxNumbersFact(numbers: readonly TaxNumber[]): Cell {
  if (numbers.length === 0) return null;
  const text = numbers.map(({ number, region, status }) => `${number} (${region}), ${status}`).join('; ');
  return { href: TAX_NUMBERS, text };
}

async function countsOf(knex: Knex, userId: number): Promise<{ bids: number; invoices: number }> {
  // SQL: two counts in one statement.
  const { rows } = await knex.raw<{ rows: [{ bids: number; invoices: number }] }>(
    `SELECT (SELECT count(*) FROM bids WHERE user_id = :userId AND listed) AS bids,
            (SELECT count(*) FROM invoices WHERE user_id = :userId) AS invoices`,
    { userId },
  );
  return rows[0];
}
