/**
 * The registry of simulcast platforms: rows with sealed secrets, of which two are valid for a day after a rotation.
 * Read through a short cache, because every event needs them.
 */
import type { Knex } from 'knex';
import { newWebhookSecret } from '../../../adapters/webhooks/signature.ts';
import { hashPassword, verifyPassword } from '../../accounts/people/password.ts';
import type { AddError } from '../../shared/add-error.ts';
import { InputError } from '../../shared/input-error.ts';
import { NotUnsealable, seal, unseal } from '../../shared/sealed.ts';

const SLUG = /^[a-z0-9]+([-_][a-z0-9]+)*$/;
const ROTATION_HOURS = 24;
const FRESH_MS = 1_000;

/** Of a platform whose first secret is its only one. */
const FRESH = { sealed_previous_secret: null, previous_valid_until: null, revoked_at: null };

export interface SavedPlatform {
  readonly slug: string;
  /** Shown when it is generated or given, and never again. */
  readonly secret: string;
}

interface Row {
  readonly slug: string;
  readonly sealed_secret: string;
  readonly sealed_previous_secret: string | null;
  readonly previous_valid: boolean;
}

/**
 * Adds a platform, or lets one in again that was revoked. Throws `InputError` for a slug that is none or is taken, and
 * for a secret that is too short.
 */
export async function addPlatform(
  knex: Knex,
  keys: readonly string[],
  slug: string,
  secret: string = newWebhookSecret(),
): Promise<SavedPlatform> {
  checkPlatform(slug, secret);
  const added: unknown[] = await knex('simulcast_platforms')
    .insert({ slug, sealed_secret: seal(secret, keys), ...FRESH })
    .onConflict('slug')
    .merge()
    .whereNotNull('simulcast_platforms.revoked_at')
    .returning('id');
  if (added.length === 0) throw new InputError(`slug: there is already a platform "${slug}"`);
  return { slug, secret };
}

/**
 * Gives a platform a new secret; the one before stays valid for 24 hours, and the configuration does not bring it back.
 * Throws `InputError` for an unknown slug.
 */
export async function rotatePlatform(
  knex: Knex,
  keys: readonly string[],
  slug: string,
): Promise<SavedPlatform> {
  const secret = newWebhookSecret();
  await knex.transaction(async (trx) => {
    const row = await trx('simulcast_platforms')
      .where({ slug, revoked_at: null })
      .forUpdate()
      .first<{ sealed_secret: string } | undefined>('sealed_secret');
    if (row === undefined) throw new InputError(`slug: there is no platform "${slug}"`);
    await replaceSecret(trx, slug, row.sealed_secret, seal(secret, keys));
    const present = unsealed(row.sealed_secret, keys);
    if (present === null) return;
    const replaced = await hashPassword(present);
    await trx('simulcast_platforms')
      .where({ slug })
      // SQL: adds to the array.
      .update({
        replaced_secret_hashes: trx.raw('array_append(replaced_secret_hashes, ?)', [replaced]),
      });
  });
  return { slug, secret };
}

/** A secret in the clear, or null where the `APP_SECRET` that sealed it is gone: a new one mends just that. */
function unsealed(sealed: string, keys: readonly string[]): string | null {
  try {
    return unseal(sealed, keys);
  } catch (error) {
    if (error instanceof NotUnsealable) return null;
    throw error;
  }
}

/** The statement that makes a secret the previous one, if it is still the present one. */
function replaceSecret(knex: Knex, slug: string, present: string, next: string) {
  return knex('simulcast_platforms')
    .where({ slug, sealed_secret: present, revoked_at: null })
    .update({
      sealed_previous_secret: present,
      // SQL: a moment by the clock of the database.
      previous_valid_until: knex.raw(`now() + interval '${ROTATION_HOURS} hours'`),
      sealed_secret: next,
    });
}

/**
 * Lets a platform in no more: none of its secrets signs from now on, within a second on every process. Throws
 * `InputError` for an unknown slug and for one that is revoked already.
 */
export async function revokePlatform(knex: Knex, slug: string): Promise<void> {
  const changed = await knex('simulcast_platforms')
    .where({ slug, revoked_at: null })
    .update({ revoked_at: knex.fn.now() });
  if (changed === 0) throw new InputError(`slug: there is no platform "${slug}"`);
}

export interface ListedPlatform {
  readonly slug: string;
  readonly created_at: string;
  /** Until then the secret before the present one is taken too. */
  readonly previous_valid_until: string | null;
  readonly revoked_at: string | null;
}

/** All platforms by slug, without their secrets; with `slug`, that one. */
export function listPlatforms(knex: Knex, slug?: string): Promise<ListedPlatform[]> {
  const query = knex('simulcast_platforms')
    .orderBy('slug')
    .select<ListedPlatform[]>('slug', 'created_at', 'previous_valid_until', 'revoked_at');
  return slug === undefined ? query : query.where({ slug });
}

/** Adds an error for slugs that are no platform of the registry. */
export async function checkPlatforms(
  knex: Knex,
  slugs: readonly string[] | undefined,
  addError: AddError,
): Promise<void> {
  if (slugs === undefined || slugs.length === 0) return;
  const known = new Set<string>(
    await knex('simulcast_platforms')
      .whereRaw('slug = any(?::text[]) and revoked_at is null', [[...slugs]])
      .pluck('slug'),
  );
  const unknown = slugs.filter((slug) => !known.has(slug));
  if (unknown.length > 0)
    addError('simulcast_platforms', `must name simulcast platforms; unknown: ${unknown.join(', ')}`);
}

/**
 * Fills the registry from the configuration: what is new is added, a secret that differs counts as a rotation; what
 * was revoked stays so, and a secret that `rotatePlatform` has replaced is not brought back. Gives the platforms whose
 * configured secret is such a one.
 */
export async function fillPlatforms(
  knex: Knex,
  keys: readonly string[],
  secrets: ReadonlyMap<string, string>,
): Promise<string[]> {
  const outdated: string[] = [];
  for (const [slug, secret] of secrets) {
    checkPlatform(slug, secret);
    const row = await knex('simulcast_platforms')
      .where({ slug })
      .first<Configured | undefined>('sealed_secret', 'replaced_secret_hashes');
    if (row === undefined) {
      await knex('simulcast_platforms')
        .insert({ slug, sealed_secret: seal(secret, keys) })
        .onConflict('slug')
        .ignore();
    } else if (unseal(row.sealed_secret, keys) !== secret) {
      if (await isAmong(secret, row.replaced_secret_hashes)) outdated.push(slug);
      else await replaceSecret(knex, slug, row.sealed_secret, seal(secret, keys));
    }
  }
  return outdated;
}

interface Configured {
  readonly sealed_secret: string;
  readonly replaced_secret_hashes: readonly string[];
}

async function isAmong(secret: string, hashes: readonly string[]): Promise<boolean> {
  for (const hash of hashes) if (await verifyPassword(secret, hash)) return true;
  return false;
}

function checkPlatform(slug: string, secret: string): void {
  if (!SLUG.test(slug) || slug.length > 60) {
    throw new InputError(
      `slug: "${slug}" must be lower-case letters, digits and single hyphens, at most 60 characters`,
    );
  }
  if (secret.length < 8 || secret.length > 200) throw new InputError('secret: must have 8 to 200 characters');
}

interface Known {
  readonly secrets: readonly string[];
  readonly readAtMs: number;
}

/** The valid secrets of platforms, for one process. */
export class PlatformSecrets {
  readonly #known = new Map<string, Known>();
  readonly #reading = new Map<string, Promise<readonly string[]>>();
  readonly #knex: Knex;
  readonly #keys: readonly string[];

  constructor(knex: Knex, keys: readonly string[]) {
    this.#knex = knex;
    this.#keys = keys;
  }

  /**
   * The secrets that sign for this platform now; none for an unknown one. Throws when Postgres is unavailable and
   * nothing is known.
   */
  of(slug: string): readonly string[] | Promise<readonly string[]> {
    const known = this.#known.get(slug);
    if (known !== undefined && performance.now() - known.readAtMs < FRESH_MS) return known.secrets;
    // However many events come meanwhile, the row is read once.
    let reading = this.#reading.get(slug);
    if (reading === undefined) {
      reading = this.#renew(slug, known).finally(() => this.#reading.delete(slug));
      this.#reading.set(slug, reading);
    }
    return reading;
  }

  async #renew(slug: string, known: Known | undefined): Promise<readonly string[]> {
    const secrets = await this.#read(slug).catch((error: unknown) => {
      if (known === undefined) throw error;
      return known.secrets;
    });
    if (secrets.length > 0) this.#known.set(slug, { secrets, readAtMs: performance.now() });
    else this.#known.delete(slug);
    return secrets;
  }

  async #read(slug: string): Promise<string[]> {
    if (!SLUG.test(slug) || slug.length > 60) return [];
    const row: Row | undefined = await this.#knex('simulcast_platforms')
      .where({ slug, revoked_at: null })
      .first(
        'slug',
        'sealed_secret',
        'sealed_previous_secret',
        // SQL: a comparison with the clock of the database.
        this.#knex.raw('previous_valid_until > now() AS previous_valid'),
      );
    if (row === undefined) return [];
    const sealed = [row.sealed_secret];
    if (row.sealed_previous_secret !== null && row.previous_valid) sealed.push(row.sealed_previous_secret);
    return sealed.map((text) => unseal(text, this.#keys));
  }
}
