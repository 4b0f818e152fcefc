/**
 * Lists of the office whose rows can be selected, and an action done to the whole selection: each row's as if it were
 * done on its own page, with one reason for all. What is refused stays selected, with the sentence next to its name.
 */
import { type Static, type TObject, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { coerce } from '../../../adapters/http/query.ts';
import { messageOf } from '../../../engine/thrown.ts';
import { InputError } from '../../shared/input-error.ts';
import { Refusal } from '../../shared/refusal.ts';
import { keptQuery } from '../lists.ts';
import { PAGE } from '../page.ts';
import {
  forStaff,
  type OfficeList,
  type OfficePage,
  type OfficeParts,
  officeHtml,
  officeList,
  type SelectionForm,
} from './office.ts';
import {
  type Action,
  type ActionTarget,
  carryOut,
  type Given,
  refusalOf,
  requireReason,
  type Subject,
} from './office-action.ts';

const ROW = 'row-';
const MAX_ROWS = 150;

const SelectionBody = Type.Object(
  {
    action: Type.String({ maxLength: 60, default: '' }),
    reason: Type.String({ maxLength: 100_000, default: '' }),
  },
  { patternProperties: { [`^${ROW}[A-Za-z0-9_-]{1,60}$`]: Type.String() } },
);

/** The list, and an endpoint that does one of the subject's actions to each row that is selected on it. */
export function selectableList<Q extends TObject, S, P extends TObject>(
  parts: OfficeParts,
  list: OfficeList<Q>,
  subject: Subject<S, P>,
): Endpoint[] {
  const { path, operationId, summary, query } = list;
  const actions = subject.actions.filter(
    ({ fields, fieldsOptional, needsProof }) => (fields === undefined || fieldsOptional) && !needsProof,
  );
  return [
    officeList(parts, { ...list, read: (query) => pageOf(list, actions, query, {}) }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: `${path}/many`,
      operationId: operationId.replace(/Page$/, 'SelectedInOffice'),
      summary: `${summary}: actions on the selected rows`,
      query,
      body: { form: SelectionBody },
      handle: (request) =>
        forStaff(parts, request, async (who) => {
          const { action: name, reason: typed, ...rows } = request.body;
          const ids = Object.keys(rows).map((key) => key.slice(ROW.length));
          const reason = typed.trim();
          const action = actions.find((one) => one.name === name);
          const errors = errorsOf(ids, action, reason);
          if (action === undefined || Object.keys(errors).length > 0) {
            const form = { action: name, reason, selected: new Set(ids), errors };
            const page = await pageOf(list, actions, request.query, form);
            return officeHtml(parts, request, { ...page, status: 422 });
          }
          const input = { values: {}, reason, who };
          const { refused, goingOn } = await doToEach(parts, subject, { action, input }, ids, request.ip);
          const form = {
            action: name,
            selected: new Set(refused.keys()),
            reason: refused.size > 0 ? reason : '',
          };
          const page = await pageOf(list, actions, request.query, form);
          const text = `${action.title}: done for ${ids.length - refused.size} of ${ids.length}.`;
          const outcome = { text, refused: sentencesOf(page, [...goingOn, ...refused]) };
          return officeHtml(parts, request, { ...page, outcome });
        }),
    }),
  ];
}

/** The current list, with its form as filled in. */
async function pageOf<Q extends TObject, S>(
  list: OfficeList<Q>,
  actions: readonly Action<S>[],
  query: Static<Q>,
  form: Partial<SelectionForm>,
): Promise<OfficePage> {
  const page = await list.read(query);
  const kept = keptQuery(query) + (query['page'] === undefined ? '' : `page=${String(query['page'])}`);
  const empty = { selected: new Set<string>(), action: '', reason: '', errors: {} };
  const own = {
    url: `${list.path}/many?${kept.replace(/&$/, '')}`,
    actions: actions.map(({ name, title }) => [name, title] as const),
  };
  return { ...page, selection: { ...empty, ...own, ...form } };
}

function errorsOf(ids: readonly string[], action: unknown, reason: string): Record<string, string> {
  const errors: Record<string, string> = {};
  if (ids.length === 0) errors[''] = 'Nothing was selected.';
  if (ids.length > MAX_ROWS) errors[''] = `Select at most ${MAX_ROWS} at once.`;
  if (action === undefined) errors['action'] = 'Choose what to do.';
  try {
    requireReason(reason);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    errors['reason'] = error.message.replace(/^reason: /, '');
  }
  return errors;
}

/**
 * One after the other, each on its own: gives the sentence of each that was refused, and of each that is done and goes
 * on by itself, by its id.
 */
async function doToEach<S, P extends TObject>(
  parts: OfficeParts,
  subject: Subject<S, P>,
  { action, input }: { readonly action: Action<S>; readonly input: Given },
  ids: readonly string[],
  ip: string,
): Promise<{ refused: Map<string, string>; goingOn: Map<string, string> }> {
  const refused = new Map<string, string>();
  const goingOn = new Map<string, string>();
  for (const id of ids) {
    try {
      const params = paramsOf(subject.params, id);
      if (params === null) throw new Refusal('not_found');
      const done = await carryOut(parts, { params, ip }, subject, action, input);
      await done.after?.();
      if (done.goesOn) goingOn.set(id, action.goesOnNotice ?? action.notice);
    } catch (error) {
      const sentences = refusalOf(error)?.errors;
      // What went before is done and shown: a journal that does not answer is shown with it.
      if (sentences === undefined && !(error instanceof Refusal)) throw error;
      const message = messageOf(error);
      refused.set(id, sentences === undefined ? message : Object.values(sentences).join(' '));
    }
  }
  return { refused, goingOn };
}

/** The one parameter of a subject's address, from the text of a row's name; null where it cannot be one. */
function paramsOf<P extends TObject>(schema: P, id: string): ActionTarget<P>['params'] | null {
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(schema.properties)) values[name] = id;
  coerce(values, schema);
  return Value.Check(schema, values) ? values : null;
}

function sentencesOf(page: OfficePage, sentences: readonly (readonly [string, string])[]): string[] {
  const names = new Map(
    (page.tables ?? []).flatMap(({ picks = [] }) => picks.map(({ id, name }) => [id, name] as const)),
  );
  return sentences.map(([id, sentence]) => `${names.get(id) ?? id}: ${sentence}`);
}
