/** The columns of a CSV file of lots are the fields of seller/lots, and what docs/lots-csv.md says. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { CSV_COLUMNS } from '../../../src/selling/lots/csv-columns.ts';
import { NewLotBody } from '../../../src/selling/lots/seller-lot.schema.ts';
import { LOT_FIELDS } from '../../../src/shared/lot-fields.ts';

describe('columns of a CSV file of lots', () => {
  it('are the fields of a new lot', () => {
    const { auction_id: _a, location: _l, land: _n, custom_fields: _c, ...plain } = NewLotBody.properties;
    const dotted = (name: string, fields: object) => Object.keys(fields).map((field) => `${name}.${field}`);
    expect(CSV_COLUMNS.map(({ name }) => name)).to.have.members([
      ...Object.keys(plain),
      ...dotted('location', LOT_FIELDS.location),
      ...dotted('land', LOT_FIELDS.land),
    ]);
  });

  it('are what docs/lots-csv.md shows', () => {
    const page = readFileSync(new URL('../../../docs/lots-csv.md', import.meta.url), 'utf8');
    const rows = CSV_COLUMNS.map(({ name, kind, rule }) => `| \`${name}\` | ${kind} | ${rule} |`);
    expect(page).to.include(`\n${['| column | takes | rule |', '|---|---|---|', ...rows].join('\n')}\n`);
  });
});
