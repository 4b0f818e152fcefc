/**
 * The layout of the rows that processes write for each other. A release that changes it writes the former one until the
 * upgrade is finished, because processes of the previous release still read what it writes; from then on none of that
 * release starts on the database, and `/readyz` of one that still runs is 503.
 */
import type { Knex } from 'knex';

/** What this release writes once an upgrade to it is finished. A release that changes the layout raises it. */
export const LAYOUT = 1;

/** The layout that all processes may write; null where the journal has not begun. */
async function layoutOf(knex: Knex): Promise<number | null> {
  const row = await knex('journal_meta').first<{ layout: number | null } | undefined>('layout');
  return row === undefined ? null : (row.layout ?? 1);
}

/** Why this release must not use the database, or null. */
export async function laterLayout(knex: Knex): Promise<string | null> {
  const layout = await layoutOf(knex);
  if (layout === null || layout <= LAYOUT) return null;
  return `DATABASE_URL: a later release has finished its upgrade (layout ${layout}, this release reads ${LAYOUT}): run that one`;
}

/** Whether nothing is written any more as the previous release had it. */
export async function isUpgradeFinished(knex: Knex): Promise<boolean> {
  return ((await layoutOf(knex)) ?? LAYOUT) >= LAYOUT;
}

/** No process of the previous release runs any more. Gives whether that is new. */
export async function finishUpgrade(knex: Knex): Promise<boolean> {
  return (await knex('journal_meta').where('layout', '<', LAYOUT).update({ layout: LAYOUT })) > 0;
}
