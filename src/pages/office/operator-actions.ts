/** `/office/operator`: what the office says of who runs the marketplace, which counts before the configuration. */
import { Type } from '@sinclair/typebox';
import { InputError } from '../../shared/input-error.ts';
import {
  changeOfficeSettings,
  type OfficeSettings,
  OPERATOR_COLOR,
  OPERATOR_TEXTS,
  type OperatorProfile,
  readOfficeSettings,
} from '../../shared/operator.ts';
import type { FormField } from './office.ts';
import type { Subject } from './office-action.ts';

const NoParams = Type.Object({});
const MAX_NAME = 60;
const MAX_TEXT = 200_000;
const LABELS = { terms: 'Terms', privacy: 'Privacy', imprint: 'Imprint' } as const;
const AS_CONFIGURED = 'Empty: as the configuration has it.';

export function operatorSubject(operator: OperatorProfile): Subject<OfficeSettings, typeof NoParams> {
  return {
    path: '/office/operator',
    operationId: 'officeOperatorPage',
    summary: 'Who runs the marketplace',
    params: NoParams,
    find: (knex) => readOfficeSettings(knex),
    async show() {
      const { name, color, texts } = await operator.read();
      return {
        section: 'operator',
        heading: 'Operator',
        facts: [
          ['Name', name],
          ['Colour', color ?? 'the usual green'],
          ...OPERATOR_TEXTS.map(
            (one) =>
              [
                LABELS[one],
                { href: `/${one}`, text: texts[one] === null ? 'not written yet' : `/${one}` },
              ] as const,
          ),
        ],
      };
    },
    actions: [
      {
        operationId: 'changeOperatorInOffice',
        name: 'change',
        title: 'Change name, colour and texts',
        button: 'Save',
        said: 'Saved. It holds from now on.',
        fieldNames: ['name', 'color', ...OPERATOR_TEXTS],
        fields: fieldsOf,
        async act(knex, _subject, { values }) {
          await changeOfficeSettings(knex, settingsIn(values));
          return { after: () => operator.refresh() };
        },
      },
    ],
  };
}

function fieldsOf({ name, color, ...texts }: OfficeSettings): FormField[] {
  return [
    {
      name: 'name',
      label: 'Name',
      kind: 'line',
      maxLength: MAX_NAME,
      value: name ?? '',
      hint: AS_CONFIGURED,
    },
    {
      name: 'color',
      label: 'Colour',
      kind: 'line',
      maxLength: 7,
      value: color ?? '',
      hint: 'Such as #1d5a41.',
    },
    ...OPERATOR_TEXTS.map(
      (one): FormField => ({
        name: one,
        label: LABELS[one],
        kind: 'text',
        maxLength: MAX_TEXT,
        value: texts[one] ?? '',
        hint: 'Markdown: headings, lists, bold words and links.',
      }),
    ),
  ];
}

/** Throws an `InputError` for what is no name or no colour. */
function settingsIn(values: Readonly<Record<string, string>>): OfficeSettings {
  const text = (name: string) => values[name]?.trim() || null;
  const [name, color] = [text('name'), text('color')?.toLowerCase() ?? null];
  if (name !== null && (name.length > MAX_NAME || /[<>"\p{Cc}]/u.test(name)))
    throw new InputError(`name: It must have at most ${MAX_NAME} characters.`);
  if (color !== null && !OPERATOR_COLOR.test(color))
    throw new InputError('color: It must be such as #1d5a41.');
  return { name, color, terms: text('terms'), privacy: text('privacy'), imprint: text('imprint') };
}
