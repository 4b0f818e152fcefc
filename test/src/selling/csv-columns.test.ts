/** The columns of a CSV file of lots are the fields of seller/lots, and what the command’s help lists. */
import { expect } from 'chai';
import { Command } from 'commander';
import { addLotsCommands } from '../../../src/app/commands/lots.command.ts';
import { CSV_COLUMNS } from '../../../src/selling/lots/csv-columns.ts';
import { NewLotBody } from '../../../src/selling/lots/seller-lot.schema.ts';
import { LOT_FIELDS } from '../../../src/shared/lot-fields.ts';

describe('columns of a CSV file of lots', () => {
  it('are the fields of a new lot', () => {
    const { auction_id: _a, location: _l, land: _n, custom_fields: _c, ...rest } = NewLotBody.properties;
    const { translations, ...plain } = rest;
    const dotted = (name: string, fields: object) => Object.keys(fields).map((field) => `${name}.${field}`);
    expect(CSV_COLUMNS.map(({ name }) => name)).to.have.members([
      ...Object.keys(plain),
      ...dotted('location', LOT_FIELDS.location),
      ...dotted('land', LOT_FIELDS.land),
      ...Object.keys(translations.properties).flatMap((code) =>
        ['title', 'description', 'condition'].map((name) => `${name}_${code}`),
      ),
    ]);
  });

  it('are listed by the command’s help, with what they take', () => {
    const program = new Command();
    addLotsCommands(program);
    const importing = program.commands
      .flatMap(({ commands }) => commands)
      .find((one) => one.name() === 'import');
    let help = '';
    importing?.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    for (const { name, kind, rule } of CSV_COLUMNS) {
      expect(help.replaceAll(/ +/g, ' ')).to.include(`\n ${`${name} ${kind} ${rule}`.trimEnd()}\n`);
    }
  });
});
