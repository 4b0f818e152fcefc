/** The office: for admins of the service, whoever they are besides. What they do there to a thing is in its table. */
import { policy } from './policy.ts';
import { ANYBODY, STAFF } from './who.ts';

export type OfficeAction = keyof (typeof OFFICE_POLICY)['actions'];

export const OFFICE_POLICY = policy({
  resource: 'office',
  about: 'Whatever is under its address, the page of each thing and the form of each decision.',
  states: ['open'] as const,
  actions: {
    enter: {
      does: 'reads',
      by: ['GET /office*'],
      rows: [
        ['any', STAFF, 'allowed'],
        ['any', ANYBODY, 'forbidden'],
      ],
    },
    decide: {
      does: 'changes',
      by: ['POST /office*'],
      rows: [
        ['any', STAFF, 'allowed'],
        ['any', ANYBODY, 'forbidden'],
      ],
    },
  },
});
