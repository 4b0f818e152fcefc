/**
 * What staff do: a form on the page of whatever it is about, which always asks for a reason, and its record in the
 * activity. What a deed changes in Postgres and its record stand or fall together. A refusal shows the page again,
 * with what was typed and the sentence beside its field.
 */
import { type Static, type TObject, Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../../adapters/http/endpoint.ts';
import { type ActivityDetail, type ActivityEntry, recordActivity } from '../../accounts/activity/activity.ts';
import { actionOf } from '../../accounts/activity/recorded-endpoints.ts';
import { InputError } from '../../shared/input-error.ts';
import { notFound, Refusal, type RefusalCode } from '../../shared/refusal.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { PAGE, type SignedIn } from '../page.ts';
import {
  type FormField,
  forStaff,
  type OfficePage,
  type OfficeParts,
  officeHtml,
  type ShownForm,
} from './office.ts';

type Texts = Readonly<Record<string, string>>;

const MAX_REASON = 1_000;
const MAX_QUERY = 500;
const MAX_VALUE = 500_000;

/** What was given with a form, texts without blanks around them. */
export interface Given {
  readonly values: Readonly<Record<string, string>>;
  readonly reason: string;
  readonly who: SignedIn;
}

/** What came of a deed. */
export interface Done {
  readonly aboutUserId?: number | null;
  readonly teamId?: number | null;
  /** Kept in the activity besides the reason; nothing of it is secret. */
  readonly detail?: ActivityDetail;
  /** Where to go on; default: the page of the subject. */
  readonly to?: string;
  /** Shown once, in place of going on. */
  readonly secret?: { readonly label: string; readonly value: string };
  /** After the change is committed. */
  readonly after?: () => Promise<void>;
}

export interface Deed<S> {
  /** Ends in `InOffice`; names the form too. */
  readonly operationId: string;
  /** The last part of its address. */
  readonly name: string;
  readonly title: string;
  readonly button: string;
  readonly danger?: boolean;
  /** Said on the page that follows. */
  readonly said: string;
  readonly fields?: (subject: S, query: Texts) => readonly FormField[];
  /** Everything that its form may send besides the reason. */
  readonly fieldNames?: readonly string[];
  /** Why it cannot be done now; null: it can. A deed that cannot be done has no form. */
  readonly hindrance?: (subject: S) => string | null;
  /** What it shows or gives out asks whoever does it to prove again who they are. */
  readonly asksProof?: true;
  /** What it does is no matter of Postgres alone, so it cannot share a transaction with its record. */
  readonly beyondPostgres?: true;
  /** Does it. Throws `InputError`s (`field: sentence`) and `Refusal`s. */
  act(knex: Knex, subject: S, given: Given): Promise<Done>;
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
  readonly deeds: readonly Deed<S>[];
  /** What is said here of deeds that were done elsewhere, by their operation. */
  readonly alsoSays?: Texts;
}

interface Failed {
  readonly deed: string;
  readonly values: Readonly<Record<string, string>>;
  readonly errors: Readonly<Record<string, string>>;
  readonly status: number;
}

/** The page of a subject, and an endpoint for each of its deeds. */
export function subjectPages<S, P extends TObject>(parts: OfficeParts, subject: Subject<S, P>): Endpoint[] {
  return [subjectPage(parts, subject), ...subject.deeds.map((deed) => deedEndpoint(parts, subject, deed))];
}

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }));
const textsNamed = (names: readonly string[], maxLength: number) =>
  Type.Object(Object.fromEntries(names.map((name) => [name, text(maxLength)])));

function subjectPage<S, P extends TObject>(parts: OfficeParts, subject: Subject<S, P>): Endpoint {
  const { path, operationId, summary, params, query = [] } = subject;
  return endpoint({
    ...PAGE,
    method: 'GET',
    path,
    operationId,
    summary,
    params,
    query: textsNamed(['done', ...query], MAX_QUERY),
    handle: (request) =>
      forStaff(parts, request, async () => {
        // Asked for before anything is typed, so that nothing typed is lost by it.
        const asksProof = subject.deeds.some((deed) => deed.asksProof);
        const proof = asksProof ? parts.pages.proveFirst(request, request.path) : null;
        if (proof !== null) return proof;
        const found = await subject.find(parts.knex, request.params, false);
        if (found === null) throw notFound();
        return shown(parts, request, subject, found, textsOf(request.query), null);
      }),
  });
}

function deedEndpoint<S, P extends TObject>(
  parts: OfficeParts,
  subject: Subject<S, P>,
  deed: Deed<S>,
): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${subject.path}/${deed.name}`,
    operationId: deed.operationId,
    summary: deed.title,
    params: subject.params,
    body: { form: textsNamed(['reason', ...(deed.fieldNames ?? [])], MAX_VALUE) },
    handle: (request) =>
      forStaff(parts, request, async (who) => {
        const here = request.path.slice(0, request.path.lastIndexOf('/'));
        const proof = deed.asksProof ? parts.pages.proveFirst(request, here) : null;
        if (proof !== null) return proof;
        const values = textsOf(request.body);
        try {
          const done = await carryOut(parts, request, subject, deed, {
            values,
            reason: values['reason'] ?? '',
            who,
          });
          await done.after?.();
          const { to, secret } = done;
          if (secret === undefined) return parts.pages.go(`${to ?? here}?done=${deed.operationId}`);
          return await again(parts, request, subject, null, { secret, said: deed.said, status: 201 });
        } catch (error) {
          const refusal = refusalOf(error);
          if (refusal === null) throw error;
          const failed = { deed: deed.operationId, values, ...refusal };
          return again(parts, request, subject, failed, {});
        }
      }),
  });
}

/** Does a deed and writes it down. Nothing is done without a reason. */
async function carryOut<S, P extends TObject>(
  { knex, onUnrecorded }: OfficeParts,
  request: HttpRequest<Static<P>>,
  subject: Subject<S, P>,
  deed: Deed<S>,
  given: Given,
): Promise<Done> {
  const { reason, who } = given;
  if (reason === '') throw new InputError('reason: Say why: it is kept with what you do.');
  if (reason.length > MAX_REASON) throw new InputError(`reason: It has at most ${MAX_REASON} characters.`);
  const act = async (on: Knex, lock: boolean) => {
    const found = await subject.find(on, request.params, lock);
    if (found === null) throw notFound();
    const hindrance = deed.hindrance?.(found) ?? null;
    if (hindrance !== null) throw new Refusal('invalid_transition', { message: hindrance });
    return deed.act(on, found, given);
  };
  const entryOf = ({ aboutUserId = null, teamId = null, detail = {} }: Done): ActivityEntry => ({
    action: actionOf(deed.operationId),
    via: 'office',
    userId: who.userId,
    aboutUserId,
    teamId,
    ip: request.ip,
    detail: { ...detail, reason },
  });
  if (deed.beyondPostgres) {
    const done = await act(knex, false);
    const entry = entryOf(done);
    await recordActivity(knex, entry).catch((error: unknown) => onUnrecorded(error, entry.action));
    return done;
  }
  return inTransaction(knex, async (trx) => {
    const done = await act(trx, true);
    await recordActivity(trx, entryOf(done));
    return done;
  });
}

/** The page as it is now, with what was typed in the form that was refused. */
async function again<S, P extends TObject>(
  parts: OfficeParts,
  request: HttpRequest<Static<P>>,
  subject: Subject<S, P>,
  failed: Failed | null,
  more: Pick<OfficePage, 'secret' | 'said' | 'status'>,
): Promise<Reply> {
  const found = await subject.find(parts.knex, request.params, false);
  if (found === null) throw notFound();
  return shown(parts, request, subject, found, {}, failed, more);
}

async function shown<S, P extends TObject>(
  parts: OfficeParts,
  request: HttpRequest,
  subject: Subject<S, P>,
  found: S,
  query: Texts,
  failed: Failed | null,
  more: Pick<OfficePage, 'secret' | 'said' | 'status'> = {},
): Promise<Reply> {
  const page = await subject.show(found, query);
  const here = request.method === 'GET' ? request.path : request.path.slice(0, request.path.lastIndexOf('/'));
  const { done = '' } = query;
  const own = subject.deeds.find(({ operationId }) => operationId === done);
  const said = own?.said ?? subject.alsoSays?.[done] ?? null;
  const forms = subject.deeds
    .filter(
      ({ hindrance, operationId }) => (hindrance?.(found) ?? null) === null || failed?.deed === operationId,
    )
    .map((deed) => formOf(deed, found, query, here, failed));
  const status = failed?.status ?? 200;
  return officeHtml(parts, request, { said, status, ...page, forms, ...more });
}

function formOf<S>(deed: Deed<S>, found: S, query: Texts, here: string, failed: Failed | null): ShownForm {
  const { operationId, name, title, button, danger = false, fields } = deed;
  const own = failed?.deed === operationId ? failed : null;
  return {
    id: operationId,
    action: `${here}/${name}`,
    title,
    button,
    danger,
    fields: (fields?.(found, query) ?? []).map((field) =>
      own === null || field.kind === 'password' ? field : { ...field, value: own.values[field.name] ?? '' },
    ),
    reason: own?.values['reason'] ?? '',
    errors: own?.errors ?? {},
  };
}

function textsOf(values: object): Texts {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) texts[name] = String(value).trim();
  return texts;
}

/** These are no answer to what was typed: the pipeline says them. */
const NOT_OF_THE_FORM: ReadonlySet<RefusalCode> = new Set([
  'forbidden',
  'account_suspended',
  'overloaded',
  'journal_unavailable',
]);

/** The sentences of a refusal by field, and the answer's status; null for what is none of a deed's own. */
function refusalOf(error: unknown): Pick<Failed, 'errors' | 'status'> | null {
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
