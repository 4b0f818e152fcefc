/** A form of the office as all forms are drawn: its fields with what was typed into them, and all that is wrong. */
import {
  type FormField as FieldItem,
  type FoldedFields,
  type FormItem,
  type FormView,
  formView,
  type Problems,
} from '../seller/forms/form-fields.ts';
import type { FormField } from './office.ts';
import type { Texts } from './office-action.ts';

/** What was typed, and what is wrong with it by field; under the empty name what is about none of them. */
interface Typed {
  readonly values: Texts;
  readonly errors: Texts;
}

const REASON: FormField = {
  name: 'reason',
  label: 'Reason',
  kind: 'line',
  required: true,
  maxLength: 1_000,
  hint: 'Recorded in the activity log.',
};

const CONTROLS = {
  line: 'line',
  money: 'money',
  text: 'text',
  select: 'choice',
  password: 'password',
  code: 'json',
  color: 'color',
  file: 'file',
} as const;

/** Builds what is drawn of a form's fields; `typed` is null where nothing was refused. The reason is its last field. */
export function actionItems(formId: string, fields: readonly FormField[], typed: Typed | null): FormView {
  const errors = typed?.errors ?? {};
  const problems: Problems[] = [];
  const itemOf = (field: FormField): FormItem => {
    if (field.table !== undefined) return rowsItem(field, typed, problems);
    const item = fieldItem(formId, field, typed);
    problems.push(...item.errors.map((sentence) => ({ sentence, id: item.id })));
    return item;
  };
  const open = fields.filter(({ under }) => under === undefined).map(itemOf);
  const folded = foldsOf(fields).map(([title, under]): FoldedFields => {
    const items = under.map(itemOf);
    const isOpen = under.some(({ name }) => errors[name] !== undefined);
    return { kind: 'folded', title, isOpen, items };
  });
  const reason = itemOf(REASON);
  const known = [...fields.map(({ name }) => name), REASON.name];
  const others = Object.entries(errors).filter(
    ([name]) => !known.some((one) => one === name || name.startsWith(`${one}.`)),
  );
  return {
    items: [...open, ...folded, reason],
    problems: [...others.map(([, sentence]) => ({ sentence, id: null })), ...problems],
  };
}

/** The fields that are folded up, by what they are under. */
function foldsOf(fields: readonly FormField[]): (readonly [title: string, fields: readonly FormField[]])[] {
  const titles = new Set(fields.flatMap(({ under }) => under ?? []));
  return [...titles].map((title) => [title, fields.filter(({ under }) => under === title)] as const);
}

function fieldItem(formId: string, field: FormField, typed: Typed | null): FieldItem {
  const { name, label, kind, value = '', options = [], hint = null, maxLength = null, rows = null } = field;
  const isKept = typed !== null && kind !== 'password';
  const error = typed?.errors[name];
  return {
    kind: 'field',
    name,
    id: `${formId}-${name}`,
    label,
    control: kind === 'rows' ? 'line' : CONTROLS[kind],
    lang: null,
    value: isKept ? (typed.values[name] ?? '') : value,
    // A choice without an empty one always has a value.
    required: field.required ?? (kind === 'select' && !options.some(([one]) => one === '')),
    maxLength,
    rows,
    ...(field.accept === undefined ? {} : { accept: field.accept }),
    choices: options.map(([one, words]) => ({ value: one, label: words })),
    suggestions: [],
    hint,
    unit: null,
    errors: error === undefined ? [] : [error],
  };
}

/** The rows of a table, drawn as those of the desk. */
function rowsItem(
  { name, label, hint, table }: FormField,
  typed: Typed | null,
  problems: Problems[],
): FormItem {
  const { row = {}, texts = {}, options = {} } = table ?? {};
  const own = Object.entries(typed?.errors ?? {}).filter(
    ([field]) => field === name || field.startsWith(`${name}.`),
  );
  const view = formView(
    { type: 'object', properties: { [name]: { type: 'array', items: row } } },
    typed?.values ?? texts,
    {
      ...options,
      labels: { [name]: label, ...options.labels },
      hints: hint === undefined ? {} : { [name]: hint },
    },
    Object.fromEntries(own.map(([field, sentence]) => [field, [sentence]])),
  );
  problems.push(...view.problems);
  const [item] = view.items;
  if (item === undefined) throw new Error(`the rows of ${name} are not drawn`);
  return item;
}
