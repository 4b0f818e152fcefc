/** The office as a whole: who comes in, and whose decisions it takes. */
import { OFFICE_POLICY, type OfficeAction } from '../../src/shared/policy/office-policy.ts';
import type { Service } from '../support/service.ts';
import type { Stage } from './cells.ts';
import { rowsOf } from './own-teams.ts';

let count = 0;

export function officeStage(service: Service): Stage<'open', OfficeAction> {
  return {
    policy: OFFICE_POLICY,
    takes: ({ house, signs }) => house === 'approved' && signs === undefined,
    trials: {
      enter: { act: () => ({ method: 'GET', path: '/office/queue' }), page: true, inOffice: true },
      decide: {
        act: ({ id }) => ({
          ...{ method: 'POST', path: `/office/catalog/plans/${id}/delete` },
          form: { reason: 'Nobody wants it' },
        }),
        ...{ page: true, inOffice: true },
      },
    },
    make: (_state, _house, wanted) =>
      service.database
        .knex('plans')
        .insert(Array.from({ length: wanted }, () => ({ slug: `plan-of-cells-${++count}`, name: 'A plan' })))
        .returning('id'),
    digest: ({ id }) => rowsOf(service, ['plans', { id }]),
  };
}
