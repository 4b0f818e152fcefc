/** `/office/money/tax-numbers`: the tax numbers that wait for a decision, the oldest first, and deciding on one. */
import { Type } from '@sinclair/typebox';
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import type { TaxNumber } from '../../accounts/models/tax-number.model.ts';
import {
  decideTaxNumber,
  findTaxNumbers,
  type TaxNumberDecision,
} from '../../accounts/tax-numbers/tax-numbers.ts';
import { MONEY_TABS, TAX_NUMBERS } from './money-lists.ts';
import type { Cell, OfficeParts } from './office.ts';
import type { Action, Subject } from './office-action.ts';
import { subjectPages } from './subject-pages.ts';

const NoParams = Type.Object({});

interface Queue {
  readonly waiting: readonly TaxNumber[];
  readonly approved: readonly TaxNumber[];
}

export function taxNumberPages(parts: OfficeParts): Endpoint[] {
  return subjectPages(parts, TAX_NUMBER_QUEUE);
}

export const TAX_NUMBER_QUEUE: Subject<Queue, typeof NoParams> = {
  path: TAX_NUMBERS,
  operationId: 'officeTaxNumbersPage',
  summary: 'Tax numbers that wait for a decision',
  params: NoParams,
  query: ['tax_number'],
  async find(knex): Promise<Queue> {
    const waiting = await findTaxNumbers(knex, 'pending');
    return { waiting, approved: await findTaxNumbers(knex, 'approved') };
  },
  show: async ({ waiting, approved }) => ({
    section: 'money',
    heading: 'Tax numbers',
    tabs: MONEY_TABS,
    tables: [
      {
        heading: 'To decide',
        columns: ['Id', 'Kind', 'Number', 'Region', 'Person', 'Since'],
        rows: waiting.map(rowOf),
        empty: 'No tax number waits for a decision.',
      },
      {
        heading: 'Approved',
        columns: ['Id', 'Kind', 'Number', 'Region', 'Person', 'Since'],
        rows: approved.map(rowOf),
        empty: 'No tax number is approved.',
      },
    ],
  }),
  actions: [
    decision('approve', 'approved', 'Approve tax number', 'Later invoices of this person are without tax.'),
    decision('refuse', 'refused', 'Refuse tax number', 'The tax number is refused.'),
  ],
};

function rowOf({ id, kind, number, region, user_id, created_at }: TaxNumber): Cell[] {
  const person = { href: `/office/people/${user_id}`, text: `User ${user_id}` };
  return [
    { href: `${TAX_NUMBERS}?tax_number=${id}#approveTaxNumberInOffice`, text: String(id) },
    kind,
    number,
    region,
    person,
    { time: created_at },
  ];
}

function decision(
  name: 'approve' | 'refuse',
  status: TaxNumberDecision,
  button: string,
  notice: string,
): Action<Queue> {
  return {
    operationId: `${name}TaxNumberInOffice`,
    name,
    title: button,
    button,
    danger: status === 'refused',
    notice: notice,
    fieldNames: ['tax_number'],
    fields: (_, { tax_number: chosen = '' }) => [
      {
        name: 'tax_number',
        label: 'Id of the tax number',
        kind: 'line',
        value: chosen,
        required: true,
        maxLength: 15,
      },
    ],
    blockedBy: ({ waiting, approved }) =>
      waiting.length === 0 && (name === 'approve' || approved.length === 0)
        ? 'There is no tax number to decide on.'
        : null,
    async act(knex, _, { values }) {
      const id = Number(values['tax_number']);
      const decided = await decideTaxNumber(knex, Number.isSafeInteger(id) ? id : 0, status);
      return { aboutUserId: decided.user_id, detail: { tax_number: id, status } };
    },
  };
}
