/** `/office/reports`: lots that people have reported, the oldest first, and closing a report. */
import { Type } from '@sinclair/typebox';
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import { closeReport, type OpenReport, openReports } from '../../catalog/questions/questions.ts';
import type { Cell, OfficeParts } from './office.ts';
import type { Subject } from './office-action.ts';
import { subjectPages } from './subject-pages.ts';

const PATH = '/office/reports';
const MOST = 500;
const NoParams = Type.Object({});

export function reportPages(parts: OfficeParts): Endpoint[] {
  return subjectPages(parts, REPORTS);
}

export const REPORTS: Subject<readonly OpenReport[], typeof NoParams> = {
  path: PATH,
  operationId: 'officeReportsPage',
  summary: 'Reported lots',
  params: NoParams,
  find: async (knex) => (await openReports(knex, MOST)).rows,
  show: async (reports) => ({
    section: 'lots',
    heading: 'Reported lots',
    crumbs: [['/office/lots', 'Lots']],
    tables: [
      {
        heading: null,
        columns: ['Report', 'Lot', 'Reason', 'Words', 'By', 'Since'],
        rows: reports.map((one): Cell[] => [
          one.id,
          { href: `/office/lots/${one.lot_id}`, text: `${one.lot_id} · ${one.lot_title}` },
          one.reason,
          one.text,
          { href: `/office/people/${one.user_id}`, text: `User ${one.user_id}` },
          { time: one.created_at },
        ]),
        empty: 'No lot is reported.',
      },
    ],
  }),
  actions: [
    {
      operationId: 'closeReportInOffice',
      name: 'close',
      title: 'Close a report',
      button: 'Close report',
      notice: 'The report is closed.',
      fieldNames: ['report'],
      fields: () => [
        { name: 'report', label: 'Number of the report', kind: 'line', required: true, maxLength: 15 },
      ],
      async act(knex, _, { values }) {
        const id = Number(values['report']);
        await closeReport(knex, Number.isSafeInteger(id) ? id : 0);
        return { detail: { report: id } };
      },
    },
  ],
};
