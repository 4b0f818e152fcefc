/**
 * An action of the office: what it is, how it is done, and how it is refused. It always needs a reason, and what it
 * changes in Postgres and its record in the activity are committed together.
 */
import type { Static, TObject } from '@sinclair/typebox';
import type { Knex } from 'knex';
import type { UploadedFile } from '../../../adapters/http/endpoint.ts';
import { type ActivityDetail, type NewActivity, recordActivity } from '../../accounts/activity/activity.ts';
import { actionOf } from '../../accounts/activity/recorded-endpoints.ts';
import { InputError } from '../../shared/input-error.ts';
import { notFound, Refusal, type RefusalCode } from '../../shared/refusal.ts';
import { inTransaction } from '../../shared/transactions.ts';
import type { SignedIn } from '../page.ts';
import type { FormField, OfficePage, OfficeParts } from './office.ts';

export type Texts = Readonly<Record<string, string>>;

const MAX_REASON = 1_000;

/** What was given with a form, texts without blanks around them. */
export interface Given {
  readonly values: Readonly<Record<string, string>>;
  readonly reason: string;
  readonly who: SignedIn;
  /** Null where none was chosen; absent where none can be. */
  readonly file?: UploadedFile | null;
}

/** What the page after an action is told that was done (`?done=`). */
export const doneName = (operationId: string, { goesOn = false }: Done): string =>
  goesOn ? `${operationId}-goes-on` : operationId;

/** What is said of each action, by what its page is told. */
export function noticesOf(
  actions: readonly Pick<Action<never>, 'operationId' | 'notice' | 'goesOnNotice'>[],
): ReadonlyMap<string, string> {
  return new Map(
    actions.flatMap(({ operationId, notice, goesOnNotice = notice }) => [
      [operationId, notice] as const,
      [doneName(operationId, { goesOn: true }), goesOnNotice] as const,
    ]),
  );
}

/** The outcome of an action. */
export interface Done {
  readonly aboutUserId?: number | null;
  readonly teamId?: number | null;
  /** Kept in the activity besides the reason; nothing of it is secret. */
  readonly detail?: ActivityDetail;
  /** Where to continue; default: the page of the subject. */
  readonly to?: string;
  /** Shown once, in place of going on. */
  readonly secret?: { readonly label: string; readonly value: string };
  /** What was done is to go on by itself: said is what the action says of that. */
  readonly goesOn?: boolean;
  /** After the change is committed. */
  readonly after?: () => Promise<void>;
}

export interface Action<S> {
  /** Ends in `InOffice`; names the form too. */
  readonly operationId: string;
  /** The last part of its address. */
  readonly name: string;
  readonly title: string;
  readonly button: string;
  readonly danger?: boolean;
  /** Said on the page that follows. */
  readonly notice: string;
  /** Said instead where what was done goes on by itself. */
  readonly goesOnNotice?: string;
  readonly fields?: (subject: S, query: Texts) => readonly FormField[];
  /** Everything that its form may send besides the reason. */
  readonly fieldNames?: readonly string[];
  /** Its form takes a file, as `file`. */
  readonly file?: { readonly maxBytes: number };
  /** It can be done without what its fields ask, and so for a selection too. */
  readonly fieldsOptional?: true;
  /** Why it cannot be done now; null: it can. An action that cannot be done has no form. */
  readonly blockedBy?: (subject: S) => string | null;
  /** False where it has no form although nothing that the caller is told blocks it. */
  readonly isOffered?: (subject: S) => boolean;
  /** What it shows or gives out requires the user to confirm again who they are. */
  readonly needsProof?: true;
  /** What it does is no matter of Postgres alone, so it cannot share a transaction with its record. */
  readonly beyondPostgres?: true;
  /** Does it. Throws `InputError`s (`field: sentence`) and `Refusal`s. */
  act(knex: Knex, subject: S, input: Given): Promise<Done>;
}

export interface Subject<S, P extends TObject> {
  /** Address with parameters. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly params: P;
  /** What its address may hold, for its forms and tables. */
  readonly query?: readonly string[];
  /** Null: there is none. With `lock`, its row is held for the transaction. */
  find(knex: Knex, params: Static<P>, lock: boolean): Promise<S | null>;
  /** The page without its forms. */
  show(subject: S, query: Texts): Promise<OfficePage>;
  readonly actions: readonly Action<S>[];
  /** What is said here of actions that were done elsewhere, by their operation. */
  readonly otherNotices?: Texts;
}

/** What was typed, and nothing was done of it. */
export interface Refused {
  readonly errors: Readonly<Record<string, string>>;
  readonly status: number;
}

/** Whom an action is about, and from which address it is done. */
export interface ActionTarget<P extends TObject> {
  readonly params: Static<P>;
  readonly ip: string;
}

/** Does an action and writes it down. Nothing is done without a reason. */
export async function carryOut<S, P extends TObject>(
  { knex, onUnrecorded }: OfficeParts,
  { params, ip }: ActionTarget<P>,
  subject: Subject<S, P>,
  action: Action<S>,
  input: Given,
): Promise<Done> {
  const { reason, who } = input;
  requireReason(reason);
  const act = async (on: Knex, lock: boolean) => {
    const found = await subject.find(on, params, lock);
    if (found === null) throw notFound();
    const blockedBy = action.blockedBy?.(found) ?? null;
    if (blockedBy !== null) throw new Refusal('invalid_transition', { message: blockedBy });
    return action.act(on, found, input);
  };
  const activityOf = ({ aboutUserId = null, teamId = null, detail = {} }: Done): NewActivity => ({
    action: actionOf(action.operationId),
    via: 'office',
    userId: who.userId,
    aboutUserId,
    teamId,
    ip,
    detail: { ...detail, reason },
  });
  if (action.beyondPostgres) {
    const done = await act(knex, false);
    const entry = activityOf(done);
    await recordActivity(knex, entry).catch((error: unknown) => onUnrecorded(error, entry.action));
    return done;
  }
  return inTransaction(knex, async (trx) => {
    const done = await act(trx, true);
    await recordActivity(trx, activityOf(done));
    return done;
  });
}

/** Throws an `InputError` where there is none, or too long a one. */
export function requireReason(reason: string): void {
  if (reason === '') throw new InputError('reason: Give a reason: it is recorded with the action.');
  if (reason.length > MAX_REASON)
    throw new InputError(`reason: It must have at most ${MAX_REASON} characters.`);
}

/** These are no answer to what was typed: the pipeline says them. */
const NOT_OF_THE_FORM: ReadonlySet<RefusalCode> = new Set([
  'forbidden',
  'account_suspended',
  'overloaded',
  'journal_unavailable',
]);

/** The sentences of a refusal by field, and the answer's status; null for what is none of an action's own. */
export function refusalOf(error: unknown): Refused | null {
  if (error instanceof InputError) return { errors: byField(error.message), status: 422 };
  if (!(error instanceof Refusal) || NOT_OF_THE_FORM.has(error.code)) return null;
  const { code, message, errors } = error;
  if (errors !== undefined) {
    const fields = Object.entries(errors).map(([name, sentences]) => [name, sentences.join(' ')]);
    return { errors: Object.fromEntries(fields), status: 422 };
  }
  // What a field names is not there; without one it is the subject itself.
  if (code === 'not_found')
    return FIELD_FIRST.test(message) ? { errors: byField(message), status: 422 } : null;
  return { errors: byField(message), status: 409 };
}

const FIELD_FIRST = /^([a-z_]+): ([\s\S]+)$/;

/** `field: sentence` is about a field; what has no field is about the form. */
function byField(message: string): Record<string, string> {
  const [, field = '', sentence = message] = FIELD_FIRST.exec(message) ?? [];
  return { [field]: sentence.charAt(0).toUpperCase() + sentence.slice(1) };
}
