/** Sales tax in ten-thousandths of a percent: rates of up to four decimals, such as 8.1234 %. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE auctions ADD COLUMN sales_tax_ppm integer NOT NULL DEFAULT 0
      CHECK (sales_tax_ppm BETWEEN 0 AND 1000000);
    UPDATE auctions SET sales_tax_ppm = sales_tax_bps * 100 WHERE sales_tax_bps > 0;
    ALTER TABLE auctions DROP COLUMN sales_tax_bps;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE auctions ADD COLUMN sales_tax_bps integer NOT NULL DEFAULT 0
      CHECK (sales_tax_bps BETWEEN 0 AND 10000);
    UPDATE auctions SET sales_tax_bps = round(sales_tax_ppm / 100.0) WHERE sales_tax_ppm > 0;
    ALTER TABLE auctions DROP COLUMN sales_tax_ppm;
  `);
}
