/** `/office/applications`: applications to sell that wait, the oldest first, and deciding on one. */
import { Type } from '@sinclair/typebox';
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import type { SellerApplication } from '../../accounts/models/seller-application.model.ts';
import {
  type ApplicationDecision,
  decideApplication,
  findApplication,
  waitingApplications,
} from '../../accounts/teams/applications.ts';
import { Id } from '../../shared/fields.schema.ts';
import { type Cell, type OfficeParts, officeList } from './office.ts';
import type { Action, Subject } from './office-action.ts';
import { type RowTable, tableOf } from './search-list.ts';
import { subjectPages } from './subject-pages.ts';

export const APPLICATIONS = '/office/applications';
const MOST = 200;
const CRUMBS = [['/office/sellers', 'Sellers']] as const;

export function applicationPages(parts: OfficeParts): Endpoint[] {
  return [
    officeList(parts, {
      path: APPLICATIONS,
      operationId: 'officeApplicationsPage',
      summary: 'Applications to sell that wait for a decision',
      query: Type.Object({}),
      async read() {
        const { rows } = await waitingApplications(parts.knex, MOST);
        const table = tableOf(WAITING_APPLICATIONS, rows, 'No application waits for a decision.');
        return { section: 'sellers', heading: 'Applications', crumbs: CRUMBS, tables: [table] };
      },
    }),
    ...subjectPages(parts, APPLICATION),
  ];
}

const WAITING_APPLICATIONS: RowTable<SellerApplication> = {
  columns: ['Auction house', 'Applicant', 'What it sells', 'Sales a year', 'Since'],
  row: (one) => [
    { href: `${APPLICATIONS}/${one.id}`, text: one.team?.name ?? '' },
    { href: `/office/people/${one.user_id}`, text: one.user?.name ?? '' },
    one.sells,
    salesOf(one),
    { time: one.created_at },
  ],
};

export const salesOf = ({ sales_per_year }: SellerApplication) => sales_per_year.replaceAll('_', ' ');

const Params = Type.Object({ application: Id });

export const APPLICATION: Subject<SellerApplication, typeof Params> = {
  path: `${APPLICATIONS}/{application}`,
  operationId: 'officeApplicationPage',
  summary: 'One application to sell',
  params: Params,
  async find(knex, { application }) {
    return (await findApplication(knex, application)) ?? null;
  },
  show: async (one) => ({
    section: 'sellers',
    heading: ['{0}', one.team?.name ?? ''],
    crumbs: [...CRUMBS, [APPLICATIONS, 'Applications']],
    facts: factsOf(one),
    text: one.sells,
  }),
  actions: [
    {
      ...decision('approved'),
      operationId: 'approveApplicationInOffice',
      name: 'approve',
      title: 'Approve the application and its team',
      button: 'Approve application',
      notice: 'The application is approved: its team may publish what it sells.',
    },
    {
      ...decision('declined'),
      operationId: 'declineApplicationInOffice',
      name: 'decline',
      title: 'Decline: the applicant reads the reason',
      button: 'Decline application',
      danger: true,
      notice: 'The application is declined, and the applicant is sent the reason.',
    },
  ],
};

function decision(status: ApplicationDecision): Pick<Action<SellerApplication>, 'blockedBy' | 'act'> {
  return {
    blockedBy: (one) => (one.status === 'submitted' ? null : `This application is ${one.status}.`),
    async act(knex, { id }, { reason }) {
      const decided = await decideApplication(knex, id, status, reason);
      return { aboutUserId: decided.user_id, teamId: decided.team_id, detail: { application: id, status } };
    },
  };
}

function factsOf(one: SellerApplication): [string, Cell][] {
  return [
    ['State', { pill: one.status }],
    ['Legal name', one.legal_name],
    ['Address', one.address],
    ['Phone', one.phone],
    ['Website', one.website],
    ['Sales a year', salesOf(one)],
    ['Applicant', { href: `/office/people/${one.user_id}`, text: one.user?.name ?? '' }],
    ['Email address', one.user?.email ?? null],
    ['Verification', one.user?.verification_status ?? null],
    ['Team', { href: `/office/sellers/${one.team_id}`, text: one.team?.name ?? '' }],
    ['Sent', { time: one.created_at }],
    ['Decided', one.decided_at === null ? null : { time: one.decided_at }],
    ['Why declined', one.reason],
  ];
}
