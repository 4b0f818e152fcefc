/**
 * Webhook subscriptions of teams: making, changing, rotating and deleting them. The endpoints and the account page
 * call these, each with the team whose subscriptions it may use; those of other teams are treated as missing. Every
 * change is announced to the workers.
 */
import type { Knex } from 'knex';
import { fn, raw, ref } from 'objection';
import { newWebhookSecret, platformKeys, signingKey } from '../../adapters/webhooks/signature.ts';
import type { EventKind } from '../events/event-names.ts';
import { invalid } from '../shared/refusal.ts';
import { seal, unseal } from '../shared/sealed.ts';
import { holdName } from '../shared/transactions.ts';
import { WebhookSubscription } from './webhook.model.ts';

/** Where changes of subscriptions are announced. */
export const SUBSCRIPTIONS_CHANNEL = 'rostrum_webhook_subscriptions';

const SHOWN = [
  'id',
  'url',
  'events',
  'description',
  'is_active',
  'disabled_reason',
  'failing_since',
  'previous_valid_until',
  'created_at',
  'updated_at',
] as const;

export type SubscriptionRow = Pick<WebhookSubscription, (typeof SHOWN)[number]> & {
  readonly team_id: number;
};

const shown = (row: WebhookSubscription, teamId: number): SubscriptionRow => ({
  ...row.toJSON(),
  team_id: teamId,
});

// SQL: begins at the snapshot of the database.
const FROM_NOW = raw('pg_snapshot_xmin(pg_current_snapshot())');

/** Each costs connections and queries of its own. */
const MAX_PER_TEAM = 100;

/** Throws 422 where the team has as many subscriptions as it may; others who make one for the team wait. */
async function requireRoom(knex: Knex, teamId: number): Promise<void> {
  await holdName(knex, `webhooks of team ${teamId}`);
  if ((await subscriptionsOf(knex, teamId).resultSize()) >= MAX_PER_TEAM) {
    throw invalid({ url: [`The team already has ${MAX_PER_TEAM} webhook subscriptions.`] });
  }
}

/** How long the secret before a rotation still signs. */
const BOTH_SIGN = '24 hours';

export interface NewSubscription {
  readonly url: string;
  readonly events: readonly (EventKind | '*')[];
  readonly description?: string | null | undefined;
}

export interface WithSecret {
  readonly row: SubscriptionRow;
  /** In plain text, this once. */
  readonly secret: string;
}

/** Makes a subscription. It is sent what is committed from now on. Throws 422 where the team has as many as it may. */
export async function createSubscription(
  knex: Knex,
  secrets: readonly string[],
  teamId: number,
  input: NewSubscription,
): Promise<WithSecret> {
  const secret = newWebhookSecret();
  const row = await knex.transaction(async (trx) => {
    await requireRoom(trx, teamId);
    // Read again: an inserted model holds all that was written, the sealed secret too.
    const { id } = await WebhookSubscription.query(trx)
      .insert({
        team_id: teamId,
        url: input.url,
        events: [...new Set(input.events)],
        description: input.description ?? null,
        sealed_secret: seal(secret, secrets),
        cursor_tx: FROM_NOW,
      })
      .returning('id');
    return shown(await subscriptionsOf(trx, teamId).findById(id).select(SHOWN).throwIfNotFound(), teamId);
  });
  await announce(knex);
  return { row, secret };
}

const subscriptionsOf = (knex: Knex, teamId: number) =>
  WebhookSubscription.query(knex).where('team_id', teamId);

export async function findSubscription(
  knex: Knex,
  teamId: number,
  id: number,
): Promise<SubscriptionRow | null> {
  const row = await subscriptionsOf(knex, teamId).findById(id).select(SHOWN);
  return row === undefined ? null : shown(row, teamId);
}

/** A team's subscriptions, oldest first. */
export async function listSubscriptions(
  knex: Knex,
  teamId: number,
  paging: { readonly page: number; readonly perPage: number },
): Promise<{ rows: SubscriptionRow[]; total: number }> {
  const { results, total } = await subscriptionsOf(knex, teamId)
    .select(SHOWN)
    .orderBy('id')
    .page(paging.page - 1, paging.perPage);
  return { rows: results.map((row) => shown(row, teamId)), total };
}

export interface SubscriptionChange {
  readonly url?: string;
  readonly events?: readonly (EventKind | '*')[];
  readonly description?: string | null;
  readonly is_active?: boolean;
}

/**
 * Changes a subscription. One that is turned on again is sent what is committed from then on, not what it has missed.
 * Null where the team has no such subscription.
 */
export async function changeSubscription(
  knex: Knex,
  teamId: number,
  id: number,
  change: SubscriptionChange,
): Promise<SubscriptionRow | null> {
  const row = await knex.transaction(async (trx) => {
    const before = await subscriptionsOf(trx, teamId).findById(id).forUpdate();
    if (before === undefined) return null;
    const turnedOn = change.is_active === true && !before.is_active;
    const { events, ...plain } = change;
    const after = await subscriptionsOf(trx, teamId)
      .findById(id)
      .patch({
        ...plain,
        ...(events === undefined ? {} : { events: [...new Set(events)] }),
        ...(turnedOn
          ? {
              cursor_tx: FROM_NOW,
              cursor_id: 0,
              failing_since: null,
              disabled_reason: null,
            }
          : {}),
        updated_at: fn.now(),
      })
      .returning([...SHOWN])
      .first();
    return after === undefined ? null : shown(after, teamId);
  });
  if (row !== null) await announce(knex);
  return row;
}

/**
 * Gives a subscription a new secret; the one before signs too for 24 hours. Null where the team has no such
 * subscription.
 */
export async function rotateSecret(
  knex: Knex,
  secrets: readonly string[],
  teamId: number,
  id: number,
): Promise<WithSecret | null> {
  const secret = newWebhookSecret();
  const row = await subscriptionsOf(knex, teamId)
    .findById(id)
    .patch({
      previous_sealed_secret: ref('sealed_secret'),
      previous_valid_until: raw(`now() + interval '${BOTH_SIGN}'`),
      sealed_secret: seal(secret, secrets),
      updated_at: fn.now(),
    })
    .returning([...SHOWN])
    .first();
  if (row === undefined) return null;
  await announce(knex);
  return { row: shown(row, teamId), secret };
}

/** Deletes a subscription with its log. Whether the team had it. */
export async function deleteSubscription(knex: Knex, teamId: number, id: number): Promise<boolean> {
  const deleted = await subscriptionsOf(knex, teamId).deleteById(id);
  if (deleted > 0) await announce(knex);
  return deleted > 0;
}

/** Notifies the workers of changed subscriptions. */
export async function announce(knex: Knex): Promise<void> {
  // SQL: no builder knows NOTIFY.
  await knex.raw(`SELECT pg_notify(?, '')`, [SUBSCRIPTIONS_CHANNEL]);
}

/** Over `webhook_subscriptions`: whether the team is suspended, which it is with its owner. */
export const PAUSED_SQL = `EXISTS (SELECT FROM memberships o JOIN users u ON u.id = o.user_id
  WHERE o.team_id = webhook_subscriptions.team_id AND o.role = 'owner' AND u.suspended_at IS NOT NULL)`;

/** Whose facts a subscription gets: a team's, or those of the lots listed on a platform. */
export type SubscriptionOwner = { readonly teamId: number } | { readonly platform: string };

/** What a delivery needs to know of its subscription, as it is now. */
export interface DeliveryTerms {
  readonly id: number;
  readonly of: SubscriptionOwner;
  readonly url: string;
  readonly events: readonly (EventKind | '*')[];
  readonly isActive: boolean;
  /** Its team is suspended: nothing goes out, and nothing of three days is lost. */
  readonly isPaused: boolean;
  /** The keys that sign at this moment. */
  readonly keys: readonly Buffer[];
}

type TermsRow = ({ team_id: number; platform: null } | { team_id: null; platform: string }) & {
  readonly url: string;
  readonly events: readonly (EventKind | '*')[];
  readonly is_active: boolean;
  readonly sealed: string;
  readonly previous: string | null;
  readonly paused: boolean;
};

const teamKeys = (secret: string) => [signingKey(secret)];

/** Null if the subscription was deleted. Throws `NotUnsealable` where `APP_SECRET` lost the secret that sealed. */
export async function readDeliveryTerms(
  knex: Knex,
  secrets: readonly string[],
  id: number,
): Promise<DeliveryTerms | null> {
  // SQL: columns that are worked out, of the subscription or its platform.
  const row = await knex('webhook_subscriptions')
    .leftJoin('simulcast_platforms as p', 'p.slug', 'webhook_subscriptions.platform')
    .where('webhook_subscriptions.id', id)
    .first<TermsRow | undefined>(
      'team_id',
      'platform',
      'url',
      'events',
      'is_active',
      knex.raw('coalesce(webhook_subscriptions.sealed_secret, p.sealed_secret) AS sealed'),
      knex.raw(`CASE WHEN webhook_subscriptions.previous_valid_until > now() THEN previous_sealed_secret
        WHEN p.previous_valid_until > now() THEN p.sealed_previous_secret END AS previous`),
      knex.raw(`${PAUSED_SQL} AS paused`),
    );
  if (row === undefined) return null;
  const { team_id, platform } = row;
  const keysOf = platform === null ? teamKeys : platformKeys;
  const sealed = row.previous === null ? [row.sealed] : [row.sealed, row.previous];
  return {
    id,
    of: platform === null ? { teamId: team_id } : { platform },
    url: row.url,
    events: row.events,
    isActive: row.is_active,
    isPaused: row.paused,
    keys: sealed.flatMap((text) => keysOf(unseal(text, secrets))),
  };
}
