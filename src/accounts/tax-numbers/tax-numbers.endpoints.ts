/** A person's own tax numbers: sending one, and how far each is. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { line, oneOf, orNull, Time } from '../../shared/fields.schema.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import { statusSchema } from '../../shared/statuses/billing-statuses.ts';
import { TAX_NUMBER_KINDS, type TaxNumber } from '../models/tax-number.model.ts';
import { listTaxNumbers, sendTaxNumber } from './tax-numbers.ts';

/** What is sent, by the API and by the page. */
export const NewTaxNumberBody = Type.Object(
  {
    kind: oneOf(TAX_NUMBER_KINDS),
    number: line(50),
    region: line(100),
  },
  { $id: 'NewTaxNumber', examples: [{ kind: 'resale', number: 'KS-004-1234567', region: 'Kansas' }] },
);

const TaxNumberBody = Type.Object(
  {
    id: Type.Integer(),
    kind: oneOf(TAX_NUMBER_KINDS),
    number: Type.String(),
    region: Type.String(),
    status: statusSchema('tax_number'),
    decided_at: orNull(Time),
    created_at: Time,
  },
  { $id: 'TaxNumber' },
);

const PATH = '/api/v1/me/tax-numbers';
const tags = ['Account'];

export function taxNumberEndpoints(knex: Knex): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: PATH,
      operationId: 'sendTaxNumber',
      summary: 'Send a tax number to be approved',
      description:
        '`number` is as on the certificate, `region` the state or country that it is of. Staff check it. Once it is ' +
        'approved, later invoices are without tax and name it (`tax_number`). One that waits or is approved already ' +
        'is answered as it is.',
      tags,
      access: { kind: 'ability', ability: 'write' },
      body: NewTaxNumberBody,
      responses: { 201: { description: 'The number.', schema: bodyOf(TaxNumberBody) } },
      async handle({ principal, body }) {
        return success(shown(await sendTaxNumber(knex, principal.userId, body)), { status: 201 });
      },
    }),
    endpoint({
      method: 'GET',
      path: PATH,
      operationId: 'listTaxNumbers',
      summary: 'The caller’s tax numbers, newest first',
      tags,
      access: { kind: 'ability', ability: 'read' },
      responses: { 200: { description: 'The numbers.', schema: bodyOf(Type.Array(TaxNumberBody)) } },
      async handle({ principal }) {
        return success((await listTaxNumbers(knex, principal.userId)).map(shown));
      },
    }),
  ];
}

function shown({ id, kind, number, region, status, decided_at, created_at }: TaxNumber) {
  return { id, kind, number, region, status, decided_at, created_at };
}
