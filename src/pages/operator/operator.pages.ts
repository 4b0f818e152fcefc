/** `/terms`, `/privacy` and `/imprint` in the operator's words, its logo, and its colour as a style sheet. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { OPERATOR_TEXTS, type OperatorProfile, type OperatorText } from '../../shared/operator.ts';
import { notFound } from '../../shared/refusal.ts';
import { PAGE, type Pages } from '../page.ts';
import { htmlOf } from './markdown.ts';

const TITLES: Readonly<Record<OperatorText, string>> = {
  terms: 'Terms',
  privacy: 'Privacy',
  imprint: 'Imprint',
};

const FILE = {
  method: 'GET',
  tags: ['Pages'],
  access: { kind: 'public' },
  undocumented: true,
  query: Type.Object({ v: Type.Optional(Type.String({ maxLength: 40 })) }),
} as const;
/** Their addresses change with what they hold. */
const FOR_GOOD = { 'Cache-Control': 'public, max-age=31536000, immutable' };

/** An SVG that is opened by itself runs nothing. */
const PICTURE = {
  ...FOR_GOOD,
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
};

export function operatorPages(pages: Pages, operator: OperatorProfile): Endpoint[] {
  return [
    ...OPERATOR_TEXTS.map((name) =>
      endpoint({
        ...PAGE,
        method: 'GET',
        path: `/${name}`,
        operationId: `${name}Page`,
        summary: `The operator’s ${name}`,
        async handle(request) {
          const text = (await operator.read()).texts[name];
          const data = { html: text === null ? null : htmlOf(text) };
          const meta = { description: TITLES[name], path: `/${name}` };
          return pages.html(request, { title: TITLES[name], template: 'operator/text', data, meta });
        },
      }),
    ),
    endpoint({
      ...FILE,
      path: '/operator/logo',
      operationId: 'operatorLogo',
      summary: 'The operator’s logo',
      responses: { 200: { description: 'The picture.', contentType: 'image/*' } },
      async handle() {
        const { logo } = await operator.read();
        if (logo === null) throw notFound();
        return { status: 200, raw: logo.bytes, contentType: logo.contentType, headers: PICTURE };
      },
    }),
    endpoint({
      ...FILE,
      path: '/operator/colors.css',
      operationId: 'operatorColors',
      summary: 'The operator’s colour',
      responses: { 200: { description: 'The style sheet.', contentType: 'text/css' } },
      async handle() {
        const { color } = await operator.read();
        const raw = color === null ? '' : sheetOf(color);
        return { status: 200, raw, contentType: 'text/css; charset=utf-8', headers: FOR_GOOD };
      },
    }),
  ];
}

/** Words on the colour are white or dark, whichever is easier to read; the dark scheme has a lighter one. */
function sheetOf(color: string): string {
  const dark = `color-mix(in oklab, ${color} 45%, white)`;
  return `:root {
  --accent: ${color};
  --accent-strong: color-mix(in oklab, ${color} 80%, black);
  --accent-tint: color-mix(in oklab, ${color} 12%, white);
  --on-accent: ${luminanceOf(color) > 0.36 ? '#17201b' : '#ffffff'};
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --accent: ${dark};
    --accent-strong: color-mix(in oklab, ${color} 30%, white);
    --accent-tint: color-mix(in oklab, ${color} 30%, black);
    --on-accent: #17201b;
  }
}
`;
}

/** From 0 to 1, as WCAG weighs the parts of a colour. */
function luminanceOf(color: string): number {
  const parts = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const [red = 0, green = 0, blue = 0] = parts;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
