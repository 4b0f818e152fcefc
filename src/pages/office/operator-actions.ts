/** `/office/operator`: what the office says of who runs the marketplace, which counts before the configuration. */
import { Type } from '@sinclair/typebox';
import { ratesIn } from '../../shared/exchange-rates.ts';
import { InputError } from '../../shared/input-error.ts';
import {
  changeOfficeSettings,
  logoOf,
  MAX_LOGO,
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
        title: 'Change name, looks, sender, exchange rates and texts',
        button: 'Save',
        notice: 'Saved. It holds from now on.',
        fieldNames: ['name', 'color', 'logo', 'mail_from', 'rates', ...OPERATOR_TEXTS],
        fields: fieldsOf,
        async act(knex, _subject, { values }) {
          await changeOfficeSettings(knex, settingsIn(values));
          return { after: () => operator.refresh() };
        },
      },
    ],
  };
}

function fieldsOf({ name, color, logo, mail_from: from, rates, ...texts }: OfficeSettings): FormField[] {
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
      name: 'logo',
      label: 'Logo',
      kind: 'text',
      maxLength: MAX_LOGO,
      value: logo ?? '',
      hint: 'An SVG as text, or a PNG, WebP or JPEG picture as a data: address. Empty: as the configuration has it.',
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

/** Throws an `InputError` for what is no name, no colour, no picture, no sender or no rate. */
function settingsIn(values: Readonly<Record<string, string>>): OfficeSettings {
  const text = (name: string) => values[name]?.trim() || null;
  const [name, color] = [text('name'), text('color')?.toLowerCase() ?? null];
  if (name !== null && (name.length > MAX_NAME || /[<>"\p{Cc}]/u.test(name)))
    throw new InputError(`name: It must have at most ${MAX_NAME} characters.`);
  if (color !== null && !OPERATOR_COLOR.test(color))
    throw new InputError('color: It must be such as #1d5a41.');
  const [logo, from] = [text('logo'), text('mail_from')];
  if (logo !== null && (logo.length > MAX_LOGO || logoOf(logo) === null))
    throw new InputError('logo: It must be an SVG, or a picture as a data: address, of at most 512 KB.');
  if (from !== null && (from.length > MAX_FROM || !FROM.test(from)))
    throw new InputError('mail_from: It must be such as Prairie Gate <mail@example.com>.');
  const rates = text('rates');
  ratesIn(rates ?? '');
  return {
    name,
    color,
    logo,
    mail_from: from,
    rates,
    terms: text('terms'),
    privacy: text('privacy'),
    imprint: text('imprint'),
  };
}
