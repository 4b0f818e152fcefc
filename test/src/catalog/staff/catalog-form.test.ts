import { expect } from 'chai';
import { createRow } from '../../../../src/catalog/staff/catalog-form.ts';
import { CATEGORY_FORM } from '../../../../src/catalog/staff/category-changes.ts';
import { HELP_CATEGORY_FORM } from '../../../../src/catalog/staff/help-changes.ts';
import { PLAN_FORM } from '../../../../src/catalog/staff/plan-changes.ts';
import { Refusal } from '../../../../src/shared/refusal.ts';
import { type MigratedDatabase, migratedDatabase } from '../../../support/migrated-database.ts';

describe('rows of the catalog', () => {
  let database: MigratedDatabase;

  before(async () => {
    database = await migratedDatabase();
  });
  after(() => database.drop());

  for (const form of [PLAN_FORM, CATEGORY_FORM, HELP_CATEGORY_FORM])
    it(`of ${form.table} get a slug once, however many request it at the same time`, async () => {
      const typed = { slug: 'same', name: 'Same' };
      const outcomes = await Promise.all(
        Array.from({ length: 5 }, () =>
          database.db.knex
            .transaction((trx) => createRow(trx, form, typed))
            .catch((error: unknown) => (error instanceof Refusal ? error.errors : error)),
        ),
      );
      expect(outcomes.filter((outcome) => outcome === 'same')).to.have.length(1);
      for (const outcome of outcomes)
        if (outcome !== 'same') expect(outcome).to.deep.equal({ slug: ['This slug is already taken.'] });
    });
});
