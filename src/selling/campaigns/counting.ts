/**
 * The numbers of ad campaigns: impressions and clicks from Redis into their rows, what that comes to by each pricing
 * model, and the end of those whose days or budget are over. A round of the clock; made twice or half, it counts
 * everything once.
 */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { runPrepared } from '../../../adapters/postgres/prepared.ts';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { Tally } from '../../../adapters/redis/redis-tally.ts';
import { BEGUN_CAMPAIGN_SQL } from '../../shared/statuses/selling-statuses.ts';

export type CountKind = 'impressions' | 'clicks';

/** Where a campaign's numbers are counted. */
export function adTally({ redis }: { readonly redis: OpenLink }): Tally {
  return new Tally(redis.timely, 'ads');
}

export const countName = (kind: CountKind, campaignId: number): string => `${kind}:${campaignId}`;

const APPLIED_KEPT = "interval '7 days'";

/** Days of the flight that have begun, of all its days. */
const FLAT_SHARE = `least(c.end_date - c.start_date + 1, greatest(0, today - c.start_date + 1))::numeric
  / (c.end_date - c.start_date + 1)`;

const SPENT = `least(c.budget_cents, CASE c.pricing_model
  WHEN 'cpc' THEN c.clicks::numeric * c.rate_cents
  WHEN 'cpm' THEN trunc(c.impressions::numeric * c.rate_cents / 1000)
  ELSE trunc(c.budget_cents * ${FLAT_SHARE}) END)::bigint`;

/** Adds what was counted, works out what is spent, and ends what is over. Returns how many campaigns ended. */
export async function runCampaigns({ knex, tally }: { knex: Knex; tally: Tally }): Promise<number> {
  const taken = await tally.take(randomUUID());
  if (taken !== null) {
    await addCounts(knex, taken.id, taken.counts);
    await tally.drop(taken.id);
  }
  // Works out, stores and ends in one statement, so that no campaign is seen half-way.
  const ended = await runPrepared(knex, {
    text: `WITH day AS (SELECT (now() AT TIME ZONE 'UTC')::date AS today),
       due AS (SELECT c.id, ${SPENT} AS spent, today > c.end_date
           OR (c.pricing_model <> 'flat' AND ${SPENT} >= c.budget_cents) AS over
         FROM ad_campaigns c, day WHERE c.status IN ${BEGUN_CAMPAIGN_SQL}),
       changed AS (UPDATE ad_campaigns c SET spent_cents = greatest(c.spent_cents, due.spent),
           status = CASE WHEN due.over THEN 'ended' ELSE c.status END
         FROM due WHERE c.id = due.id AND c.status IN ${BEGUN_CAMPAIGN_SQL}
           AND (due.over OR due.spent > c.spent_cents)
         RETURNING c.status)
     SELECT 1 FROM changed WHERE status = 'ended'`,
    values: [],
  });
  return ended.length;
}

async function addCounts(knex: Knex, takenId: string, counts: ReadonlyMap<string, number>): Promise<void> {
  const rows = [...counts].map(([name, count]) => {
    const [kind, id] = name.split(':');
    return {
      id: Number(id),
      clicks: kind === 'clicks' ? count : 0,
      impressions: kind === 'clicks' ? 0 : count,
    };
  });
  await knex.transaction(async (trx) => {
    // SQL: whether the batch is new is known by how many rows were inserted.
    const { rowCount } = await trx.raw<{ rowCount: number }>(
      'INSERT INTO ad_count_batches (id) VALUES (?) ON CONFLICT DO NOTHING RETURNING id',
      [takenId],
    );
    if (rowCount === 0) return;
    // SQL: adds the counts of all campaigns at once.
    await trx.raw(
      `UPDATE ad_campaigns c SET impressions = c.impressions + n.impressions, clicks = c.clicks + n.clicks
       FROM (SELECT id, sum(impressions) AS impressions, sum(clicks) AS clicks
         FROM json_to_recordset(?::json) AS r (id bigint, impressions bigint, clicks bigint) GROUP BY id) n
       WHERE c.id = n.id`,
      [JSON.stringify(rows)],
    );
    // SQL: by the database's own clock.
    await trx.raw(`DELETE FROM ad_count_batches WHERE added_at < now() - ${APPLIED_KEPT}`);
  });
}
