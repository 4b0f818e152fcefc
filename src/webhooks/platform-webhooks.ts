/**
 * The webhook of a platform: where it is notified of the lots listed there (`listing.*`). One subscription for each
 * platform, set by staff; deliveries work like all others, signed with the platform's own secrets.
 */
import type { Knex } from 'knex';
import { invalid } from '../shared/refusal.ts';
import { requireUrl, type UrlRules } from './subscription-url.ts';
import { WebhookSubscription } from './webhook.model.ts';
import { announce } from './webhook-subscriptions.ts';

const LISTING_EVENTS = ['listing.created', 'listing.updated', 'listing.ended', 'listing.removed'];
/** Sellers name the platform by its slug in the directory, which has no underscores. */
const DIRECTORY_SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Throws 422 where a platform of this name cannot be sent events at this URL. */
export async function checkPlatformWebhook(slug: string, url: string, rules: UrlRules): Promise<void> {
  if (!DIRECTORY_SLUG.test(slug)) {
    throw invalid({
      slug: [`The slug "${slug}" must have no underscore: sellers name the platform by its slug.`],
    });
  }
  await requireUrl(url, rules);
}

/**
 * Sends a platform's listing events here from now on, and puts the platform into the directory where it is not there
 * yet. The URL was checked before. Throws 422 for an unknown platform.
 */
export async function setPlatformWebhook(trx: Knex, slug: string, url: string): Promise<void> {
  // SQL: tables of the contexts below, which have no models of their own here.
  const known = await trx('simulcast_platforms').where({ slug }).first('id');
  if (known === undefined) throw invalid({ slug: [`There is no platform "${slug}".`] });
  await trx('cross_listing_platforms').insert({ slug, name: slug }).onConflict('slug').ignore();
  // One that was turned off is sent what is committed from now on, not what it has missed. SQL: begins at the snapshot
  // of the database, and keeps what is there.
  await trx.raw(
    `INSERT INTO webhook_subscriptions AS s (platform, events, url, cursor_tx)
     VALUES (?, ?, ?, pg_snapshot_xmin(pg_current_snapshot()))
     ON CONFLICT (platform) DO UPDATE SET url = excluded.url, is_active = true, failing_since = NULL,
       disabled_reason = NULL, updated_at = now(),
       cursor_tx = CASE WHEN s.is_active THEN s.cursor_tx ELSE excluded.cursor_tx END,
       cursor_id = CASE WHEN s.is_active THEN s.cursor_id ELSE 0 END`,
    [slug, LISTING_EVENTS, url],
  );
  await announce(trx);
}

/** Stops sending to a platform. Throws 422 if nothing is sent to it. */
export async function dropPlatformWebhook(trx: Knex, slug: string): Promise<void> {
  const dropped = await WebhookSubscription.query(trx).where('platform', slug).delete();
  if (dropped === 0) throw invalid({ slug: [`There is no platform "${slug}" with a webhook.`] });
  await announce(trx);
}
