/** `/office/operator`: what the office says of who runs the marketplace, which counts before the configuration. */
import { readFile } from 'node:fs/promises';
import { Type } from '@sinclair/typebox';
import { ratesIn } from '../../shared/exchange-rates.ts';
import { InputError } from '../../shared/input-error.ts';
import {
  changeOfficeSettings,
  logoText,
  MAX_LOGO_FILE,
  type OfficeSettings,
  OPERATOR_COLOR,
  OPERATOR_TEXTS,
  type OperatorProfile,
  readOfficeSettings,
} from '../../shared/operator.ts';
import { sizeText } from '../chosen-file.ts';
import type { FormField } from './office.ts';
import type { Subject } from './office-action.ts';

const NoParams = Type.Object({});
const MAX_NAME = 60;
const MAX_TEXT = 200_000;
const MAX_FROM = 200;
const MAX_RATES = 5_000;
const FROM = /^([^<>@\p{Cc}]{1,100} *<[^\s@<>,;:"]+@[^\s@<>,;:"]+>|[^\s@<>,;:"]+@[^\s@<>,;:"]+)$/u;
const LABELS = { terms: 'Terms', privacy: 'Privacy', imprint: 'Imprint' } as const;
const AS_CONFIGURED = 'Empty: as the configuration has it.';

export function operatorSubject(operator: OperatorProfile): Subject<OfficeSettings, typeof NoParams> {
  return {
    path: '/office/operator',
    operationId: 'officeOperatorPage',
    summary: 'Who runs the marketplace',
    params: NoParams,
    find: (knex) => readOfficeSettings(knex),
    async show({ mail_from: from }) {
      const { name, color, logo, rates, texts } = await operator.read();
      return {
        section: 'operator',
        heading: 'Operator',
        facts: [
          ['Name', name],
          ['Colour', color ?? 'the usual green'],
          ['Logo', logo === null ? 'the usual one' : { href: '/operator/logo', text: logo.contentType }],
          ['Mails are from', from ?? 'as configured'],
          ['Exchange rates', rates.size === 0 ? 'none' : [...rates.keys()].join(', ').toUpperCase()],
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
        title: 'Change name, colour, sender, exchange rates and texts',
        button: 'Save',
        notice: 'Saved. It holds from now on.',
        fieldNames: ['name', 'color', 'mail_from', 'rates', ...OPERATOR_TEXTS],
        fields: fieldsOf,
        async act(knex, { logo }, { values }) {
          await changeOfficeSettings(knex, { ...settingsIn(values), logo });
          return { after: () => operator.refresh() };
        },
      },
      {
        operationId: 'changeLogoInOffice',
        name: 'logo',
        title: 'Change the logo',
        button: 'Save logo',
        notice: 'Saved. It holds from now on.',
        file: { maxBytes: MAX_LOGO_FILE },
        fields: () => [LOGO_FIELD],
        async act(knex, settings, { file = null }) {
          const logo = file === null ? null : logoText(await readFile(file.path));
          if (file !== null && logo === null)
            throw new InputError('file: It must be an SVG, PNG, WebP or JPEG picture.');
          await changeOfficeSettings(knex, { ...settings, logo });
          return { after: () => operator.refresh() };
        },
      },
    ],
  };
}

const LOGO_FIELD: FormField = {
  name: 'file',
  label: 'Picture',
  kind: 'file',
  accept: 'image/svg+xml,image/png,image/webp,image/jpeg',
  hint:
    `An SVG, PNG, WebP or JPEG picture of at most ${sizeText(MAX_LOGO_FILE)}. ` +
    'Without one: as the configuration has it.',
};

function fieldsOf({ name, color, mail_from: from, rates, ...texts }: OfficeSettings): FormField[] {
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
      kind: 'color',
      value: color ?? '',
      hint: 'Such as #1d5a41.',
    },
    {
      name: 'mail_from',
      label: 'Mails are from',
      kind: 'line',
      maxLength: MAX_FROM,
      value: from ?? '',
      hint: 'Such as Prairie Gate <mail@example.com>. Empty: as the configuration has it.',
    },
    {
      name: 'rates',
      label: 'Exchange rates',
      kind: 'text',
      maxLength: MAX_RATES,
      value: rates ?? '',
      hint: 'A line each, such as eur 0.9213: how much of it one US dollar buys. Buyers may see prices in it, too.',
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

/** Throws an `InputError` for what is no name, no colour, no sender or no rate. */
function settingsIn(values: Readonly<Record<string, string>>): Omit<OfficeSettings, 'logo'> {
  const text = (name: string) => values[name]?.trim() || null;
  const [name, color] = [text('name'), text('color')?.toLowerCase() ?? null];
  if (name !== null && (name.length > MAX_NAME || /[<>"\p{Cc}]/u.test(name)))
    throw new InputError(`name: It must have at most ${MAX_NAME} characters.`);
  if (color !== null && !OPERATOR_COLOR.test(color))
    throw new InputError('color: It must be such as #1d5a41.');
  const from = text('mail_from');
  if (from !== null && (from.length > MAX_FROM || !FROM.test(from)))
    throw new InputError('mail_from: It must be such as Prairie Gate <mail@example.com>.');
  const rates = text('rates');
  ratesIn(rates ?? '');
  return {
    name,
    color,
    mail_from: from,
    rates,
    terms: text('terms'),
    privacy: text('privacy'),
    imprint: text('imprint'),
  };
}
