/** A person's number for tax: a resale certificate, an exemption or a VAT number, which staff approve or refuse. */
import { Type } from '@sinclair/typebox';
import { shapedBy } from '../../../adapters/postgres/model.ts';
import { oneOf, orNull } from '../../shared/fields.schema.ts';
import { statusSchema } from '../../shared/statuses/billing-statuses.ts';

export const TAX_NUMBER_KINDS = ['resale', 'exemption', 'vat'] as const;

const TaxNumberColumns = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  kind: oneOf(TAX_NUMBER_KINDS),
  number: Type.String(),
  region: Type.String({ description: 'Where it holds, as its holder wrote it.' }),
  status: statusSchema('tax_number'),
  decided_at: orNull(Type.String()),
  created_at: Type.String(),
});

export class TaxNumber extends shapedBy('tax_numbers', TaxNumberColumns) {}
