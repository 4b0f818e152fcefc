/** `/office/sellers`: teams, and on a team's page approving it, taking that back, and giving it a plan. */

import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import { Team } from '../../accounts/models/team.model.ts';
import { membersOf } from '../../accounts/models/team-members.ts';
import { markApproved, unapproveTeam } from '../../accounts/teams/teams.ts';
import { Auction } from '../../bidding/records/auction.model.ts';
import { currentSubscription, grantSubscription } from '../../billing/subscriptions/subscriptions.ts';
import { Plan } from '../../catalog/directory/plan.model.ts';
import { Id } from '../../shared/fields.schema.ts';
import { InputError } from '../../shared/input-error.ts';
import { likeAnywhere } from '../../shared/like-anywhere.ts';
import type { OfficeList, OfficePage, OfficeParts } from './office.ts';
import type { Action, Subject } from './office-action.ts';
import { isNumber, requestedPage, StatusSearch, searchList, wordsFilter } from './search-list.ts';
import { selectableList } from './selection.ts';
import { subjectPages } from './subject-pages.ts';

const PATH = '/office/sellers';
const MAX_AUCTIONS = 50;

/** Name in the address → column. */
const SORTS = { name: 'name', approved: 'approved_at', since: 'created_at' };

const TEAM_FILTERS = [
  ['', 'All teams'],
  ['waiting', 'Not approved'],
  ['approved', 'Approved'],
] as const;

export function teamPages(parts: OfficeParts): Endpoint[] {
  const subject = team(parts);
  return [...selectableList(parts, teamList(parts), subject), ...subjectPages(parts, subject)];
}

function teamList(parts: OfficeParts): OfficeList<typeof StatusSearch> {
  return searchList({
    path: PATH,
    operationId: 'officeSellersPage',
    summary: 'Teams that sell',
    query: StatusSearch,
    section: 'sellers',
    heading: 'Sellers',
    filters: ({ q, state }) => [
      wordsFilter('Name or id', q),
      { name: 'state', label: 'State', value: state, options: TEAM_FILTERS },
    ],
    columns: [
      { name: 'Team', sort: 'name' },
      'Kind',
      { name: 'State', sort: 'approved' },
      { name: 'Since', sort: 'since' },
    ],
    find: ({ q, state, ...requested }) =>
      requestedPage(searchTeams(parts.knex, q.trim(), state), requested, SORTS, 'id'),
    row: (one) => [
      { href: `${PATH}/${one.id}`, text: one.name },
      one.personal ? 'personal' : 'team',
      { pill: stateOf(one) },
      { time: one.created_at },
    ],
    pick: ({ id, name }) => ({ id: String(id), name }),
    empty: 'No team was found.',
  });
}

function searchTeams(knex: Knex, q: string, state: string) {
  const query = Team.query(knex);
  if (q !== '') {
    query.where((own) => {
      own.whereILike('name', likeAnywhere(q)).orWhereILike('slug', likeAnywhere(q));
      if (isNumber(q)) own.orWhere('id', Number(q));
    });
  }
  if (state === 'approved') query.whereNotNull('approved_at');
  if (state === 'waiting') query.whereNull('approved_at').where('personal', false);
  return query;
}

const stateOf = ({ approved_at }: Team) => (approved_at === null ? 'not approved' : 'approved');

const TeamParams = Type.Object({ seller: Id });

interface FoundTeam {
  readonly team: Team;
  readonly plans: readonly Plan[];
}

function team(parts: OfficeParts): Subject<FoundTeam, typeof TeamParams> {
  return {
    path: `${PATH}/{seller}`,
    operationId: 'officeSellerPage',
    summary: 'One team that sells',
    params: TeamParams,
    async find(knex, { seller }, lock) {
      const query = Team.query(knex).findById(seller);
      const found = await (lock ? query.forUpdate() : query);
      return found === undefined ? null : { team: found, plans: await Plan.query(knex).orderBy('id') };
    },
    show: ({ team: found }) => teamPage(parts.knex, found),
    actions: ACTIONS,
  };
}

const ACTIONS: readonly Action<FoundTeam>[] = [
  {
    operationId: 'approveTeamInOffice',
    name: 'approve',
    title: 'Approve',
    button: 'Approve',
    notice: 'This team is approved: it may publish what it sells.',
    blockedBy: ({ team: { approved_at } }) =>
      approved_at === null ? null : 'This team is already approved.',
    async act(knex, { team: { id } }) {
      await knex.transaction((trx) => markApproved(trx, id));
      return { teamId: id };
    },
  },
  {
    operationId: 'unapproveTeamInOffice',
    name: 'unapprove',
    title: 'Withdraw the approval',
    button: 'Unapprove',
    danger: true,
    notice: 'This team is no longer approved: it can publish nothing more; what it has published continues.',
    blockedBy: ({ team: { approved_at } }) => (approved_at === null ? 'This team is not approved.' : null),
    async act(knex, { team: { id } }) {
      await unapproveTeam(knex, id);
      return { teamId: id };
    },
  },
  {
    operationId: 'grantPlanInOffice',
    name: 'grant-plan',
    title: 'Give a plan',
    button: 'Give plan',
    notice: 'This team now has the plan, without an invoice.',
    fieldNames: ['plan'],
    fields: ({ plans }) => [
      { name: 'plan', label: 'Plan', kind: 'select', options: plans.map(({ slug, name }) => [slug, name]) },
    ],
    blockedBy: ({ plans }) => (plans.length === 0 ? 'There is no plan.' : null),
    async act(knex, { team: { id }, plans }, { values }) {
      const plan = plans.find(({ slug }) => slug === values['plan']);
      if (plan === undefined) throw new InputError('plan: Choose one of the plans.');
      await grantSubscription(knex, id, plan.slug);
      return { teamId: id, detail: { plan: plan.slug } };
    },
  },
];

async function teamPage(knex: Knex, { id, name, slug, ...found }: Team): Promise<OfficePage> {
  const [members, auctions, subscription] = await Promise.all([
    membersOf(knex, id).orderBy('memberships.created_at'),
    Auction.query(knex).where('team_id', id).orderBy('id', 'desc').limit(MAX_AUCTIONS),
    currentSubscription(knex, id).withGraphFetched('plan'),
  ]);
  return {
    section: 'sellers',
    heading: ['{0}', name],
    crumbs: [[PATH, 'Sellers']],
    facts: [
      ['Number', String(id)],
      ['State', { pill: found.approved_at === null ? 'not approved' : 'approved' }],
      ['Approved', found.approved_at === null ? 'no' : { time: found.approved_at }],
      ['Public page', { href: `/sellers/${slug}`, text: slug }],
      [
        'Plan',
        subscription?.plan === undefined ? 'none' : `${subscription.plan.name}, ${subscription.status}`,
      ],
      ['Second factor', found.require_two_factor ? 'required of members' : 'not required'],
      ['Since', { time: found.created_at }],
      ['Settlements', { href: `/office/money/settlements?team=${id}`, text: 'Show' }],
      ['Activity', { href: `/office/activity?team=${id}`, text: 'Show' }],
    ],
    tables: [
      {
        heading: 'Members',
        columns: ['Name', 'Email address', 'Role'],
        rows: members.map((one) => [
          { href: `/office/people/${one.id}`, text: one.name },
          one.email,
          one.role,
        ]),
        empty: 'It has no members.',
      },
      {
        heading: 'Auctions',
        columns: ['Auction', 'State', 'Starts', 'Ends'],
        rows: auctions.map((one) => [
          { href: `/office/lots?auction=${one.id}`, text: one.title },
          { pill: one.status },
          { time: one.start_time },
          { time: one.end_time },
        ]),
        empty: 'It has no auctions.',
      },
    ],
  };
}
