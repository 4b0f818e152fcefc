/**
 * What staff do: a form on the page of whatever it is about, which always requires a reason. A refusal shows the page
 * again, with what was typed and the sentence next to its field.
 */
import { type Static, type TObject, Type } from '@sinclair/typebox';
import {
  type Endpoint,
  endpoint,
  type HttpRequest,
  type MultipartForm,
  type Reply,
} from '../../../adapters/http/endpoint.ts';
import { notFound } from '../../shared/refusal.ts';
import { chosenFile } from '../chosen-file.ts';
import { PAGE } from '../page.ts';
import { actionItems } from './action-items.ts';
import { forStaff, type OfficePage, type OfficeParts, officeHtml, QUEUE, type ShownForm } from './office.ts';
import {
  type Action,
  carryOut,
  doneName,
  type Given,
  noticesOf,
  type Refused,
  refusalOf,
  type Subject,
  type Texts,
} from './office-action.ts';

const MAX_QUERY = 500;
const MAX_VALUE = 500_000;
const MAX_ROW_TEXT = 10_000;

interface Failed extends Refused {
  readonly action: string;
  readonly values: Texts;
}

/** The page of a subject, and an endpoint for each of its actions. */
export function subjectPages<S, P extends TObject>(parts: OfficeParts, subject: Subject<S, P>): Endpoint[] {
  return [
    subjectPage(parts, subject),
    ...subject.actions.map((action) => actionEndpoint(parts, subject, action)),
  ];
}

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }));
const textsNamed = (names: readonly string[], maxLength: number) =>
  Type.Object(
    Object.fromEntries(names.filter((name) => !isOfRows(name)).map((name) => [name, text(maxLength)])),
    {
      patternProperties: Object.fromEntries(
        names.filter(isOfRows).map((name) => [rowsPattern(name), ROW_TEXT]),
      ),
    },
  );

/** `fields.*.label`: the field of each row of a table. */
const isOfRows = (name: string) => name.includes('*');
const rowsPattern = (name: string) => `^${name.replaceAll('.', '\\.').replace('*', '[0-9]{1,3}')}$`;
const ROW_TEXT = Type.String({ maxLength: MAX_ROW_TEXT });

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
        // Requested before anything is typed, so that no input is lost.
        const needsProof = subject.actions.some((action) => action.needsProof);
        const proof = needsProof ? parts.pages.proveFirst(request, request.path) : null;
        if (proof !== null) return proof;
        const found = await subject.find(parts.knex, request.params, false);
        if (found === null) throw notFound();
        return shown(parts, request, subject, found, { query: textsOf(request.query) });
      }),
  });
}

function actionEndpoint<S, P extends TObject>(
  parts: OfficeParts,
  subject: Subject<S, P>,
  action: Action<S>,
): Endpoint {
  const form = textsNamed(['reason', 'back', ...(action.fieldNames ?? [])], MAX_VALUE);
  const common = {
    ...PAGE,
    method: 'POST',
    path: `${subject.path}/${action.name}`,
    operationId: action.operationId,
    summary: action.title,
    params: subject.params,
  } as const;
  if (action.file === undefined)
    return endpoint({
      ...common,
      body: { form },
      handle: (request) => received(parts, request, subject, action, { texts: request.body, upload: null }),
    });
  return endpoint({
    ...common,
    body: { multipart: { fields: form, files: { file: action.file } } },
    handle: (request) =>
      received(parts, request, subject, action, { texts: request.body.fields, upload: request.body }),
  });
}

/** What was sent with the form of an action. */
interface Sent {
  readonly texts: object;
  /** Of a form that takes a file. */
  readonly upload: MultipartForm<unknown> | null;
}

/** Does what a form asks for, or shows it again with what is wrong. */
async function received<S, P extends TObject>(
  parts: OfficeParts,
  request: HttpRequest<Static<P>>,
  subject: Subject<S, P>,
  action: Action<S>,
  { texts, upload }: Sent,
): Promise<Reply> {
  return forStaff(parts, request, async (who) => {
    const proof = action.needsProof ? parts.pages.proveFirst(request, subjectPath(request)) : null;
    if (proof !== null) return proof;
    const values = textsOf(texts);
    try {
      const file = upload === null ? null : chosenFile(upload);
      const input = { values, reason: values['reason'] ?? '', who, file };
      return await answerAction(parts, request, subject, action, input);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === null) throw error;
      return redraw(parts, request, subject, {
        failed: { action: action.operationId, values, ...refusal },
      });
    }
  });
}

/** Leads on once the action is done; a secret is shown at once, and never again. */
async function answerAction<S, P extends TObject>(
  parts: OfficeParts,
  request: HttpRequest<Static<P>>,
  subject: Subject<S, P>,
  action: Action<S>,
  input: Given,
): Promise<Reply> {
  const done = await carryOut(parts, request, subject, action, input);
  const { after, secret, to = subjectPath(request) } = done;
  await after?.();
  if (secret !== undefined)
    return redraw(parts, request, subject, { more: { secret, notice: action.notice, status: 201 } });
  const next = input.values['back'] === 'queue' ? QUEUE : to;
  return parts.pages.go(`${next}?done=${doneName(action.operationId, done)}`);
}

/** Where the subject's page is, from there or from one of its actions. */
function subjectPath({ method, path }: HttpRequest): string {
  return method === 'GET' ? path : path.slice(0, path.lastIndexOf('/'));
}

/** The current page after an action, with the input of the refused form. */
async function redraw<S, P extends TObject>(
  parts: OfficeParts,
  request: HttpRequest<Static<P>>,
  subject: Subject<S, P>,
  outcome: Outcome,
): Promise<Reply> {
  const found = await subject.find(parts.knex, request.params, false);
  if (found === null) throw notFound();
  return shown(parts, request, subject, found, outcome);
}

/** What a page is shown with. */
interface Outcome {
  readonly query?: Texts;
  readonly failed?: Failed;
  readonly more?: Pick<OfficePage, 'secret' | 'notice' | 'status'>;
}

async function shown<S, P extends TObject>(
  parts: OfficeParts,
  request: HttpRequest,
  subject: Subject<S, P>,
  found: S,
  { query = {}, failed, more = {} }: Outcome,
): Promise<Reply> {
  const page = await subject.show(found, query);
  const here = subjectPath(request);
  const { done = '' } = query;
  const notice = noticesOf(subject.actions).get(done) ?? subject.otherNotices?.[done] ?? null;
  const forms = subject.actions
    .filter(
      ({ blockedBy, isOffered, operationId }) =>
        failed?.action === operationId ||
        ((blockedBy?.(found) ?? null) === null && isOffered?.(found) !== false),
    )
    .map((action) => formOf(action, found, query, here, failed ?? null));
  const status = failed?.status ?? 200;
  return officeHtml(parts, request, { notice: notice, status, ...page, forms, ...more });
}

function formOf<S>(
  action: Action<S>,
  found: S,
  query: Texts,
  here: string,
  failed: Failed | null,
): ShownForm {
  const { operationId, name, title, button, danger = false, fields } = action;
  const own = failed?.action === operationId ? failed : null;
  return {
    id: operationId,
    url: `${here}/${name}`,
    title,
    button,
    danger,
    takesFile: action.file !== undefined,
    ...actionItems(operationId, fields?.(found, query) ?? [], own),
  };
}

function textsOf(values: object): Texts {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) texts[name] = String(value).trim();
  return texts;
}
