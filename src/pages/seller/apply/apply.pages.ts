/**
 * `/sell`: what selling takes, for everybody; for who is signed in the application for an auction house of their own,
 * and how far each that they have sent is.
 */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../../../adapters/http/endpoint.ts';
import type { Operations } from '../../../../adapters/http/operations.ts';
import { objectIn } from '../../../../engine/objects.ts';
import type { SellerApplication } from '../../../accounts/models/seller-application.model.ts';
import { chooseTeam } from '../../../accounts/people/profile.ts';
import { listApplications } from '../../../accounts/teams/applications.ts';
import { announceAccountChange, type PubSub } from '../../../accounts/tokens/account-changes.ts';
import { Id } from '../../../shared/fields.schema.ts';
import { notFound } from '../../../shared/refusal.ts';
import { languageOf, PAGE, type Pages, type SignedIn, signedIn } from '../../page.ts';
import { type Refusal, submit, TextForm, textsIn } from '../forms/desk-form.ts';
import { formView } from '../forms/form-fields.ts';
import { bodyOf, type FormTexts } from '../forms/form-values.ts';
import { type Desk, shownFor } from '../frame/desk.ts';

const PATH = '/sell';
const HEADING = 'Sell with us';

export interface ApplyPageParts {
  readonly knex: Knex;
  readonly pubSub: PubSub;
  readonly pages: Pages;
  readonly operations: Pick<Operations, 'perform' | 'bodySchema'>;
  readonly desk: Pick<Desk, 'refusalIn' | 'go'>;
}

const SaidSchema = Type.Union([Type.Literal('sent'), Type.Literal('changed')]);

const SAID = {
  sent: 'Your application is with our staff. You can prepare auctions and lots as drafts meanwhile.',
  changed: 'Your application was changed.',
};

const LABELS = {
  name: 'Name of your auction house',
  legal_name: 'Legal name',
  address: 'Address',
  sells: 'What you sell',
  phone: 'Phone',
  website: 'Website',
  sales_per_year: 'Sales a year',
};

const OPTIONS = {
  omit: ['team_id'],
  labels: LABELS,
  hints: {
    name: 'Buyers read it. You can rename it at any time.',
    legal_name: 'Of the company or the person that sells. Only our staff read this and what follows.',
    website: 'If you have one, such as https://example.com.',
  },
  choices: {
    sales_per_year: [
      { value: '1_to_4', label: '1 to 4' },
      { value: '5_to_20', label: '5 to 20' },
      { value: '21_to_50', label: '21 to 50' },
      { value: 'over_50', label: 'More than 50' },
    ],
  },
};

export function applyPages(parts: ApplyPageParts): Endpoint[] {
  return [page(parts), send(parts)];
}

function page(parts: ApplyPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: PATH,
    operationId: 'sellPage',
    summary: 'Selling with us: applying, and how far one’s applications are',
    query: Type.Object({
      change: Type.Optional(Id),
      again: Type.Optional(Id),
      new: Type.Optional(Type.Literal('1')),
      done: Type.Optional(SaidSchema),
    }),
    async handle(request) {
      const who = signedIn(request);
      if (who === null) return shown(parts, request, {});
      const { change, again, new: another, done } = request.query;
      const own = await listApplications(parts.knex, who.userId);
      const chosen = change ?? again;
      const filled = own.find(({ id }) => id === chosen);
      if (chosen !== undefined && filled === undefined) throw notFound();
      const form =
        filled === undefined
          ? another === '1' || own.length === 0
            ? { texts: {} }
            : null
          : { texts: textsOf(filled, again === undefined ? 'change' : 'again') };
      return draw(parts, request, own, { form, notice: done });
    },
  });
}

function send(parts: ApplyPageParts): Endpoint {
  const { pages, operations, desk } = parts;
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: PATH,
    operationId: 'sendSellerApplicationOnPage',
    summary: 'Sends an application to sell, or changes one that waits',
    body: { form: TextForm },
    handle: (request) =>
      pages.forSignedIn(request, (who) => {
        const texts = textsIn(request.body);
        const schema = operations.bodySchema('sendSellerApplication');
        const body = bodyOf(schema, texts, { marks: null, ...shownFor(request) });
        const { application } = texts;
        return submit(
          desk,
          async () => {
            if (application === undefined) {
              const sent = await operations.perform('sendSellerApplication', request, { body });
              // The team that was made is the user's own from the next page on, and what they set up is its.
              await chooseTeam(parts.knex, who.userId, Number(objectIn(sent.data)['team_id']));
              await announceAccountChange(parts.pubSub, { userIds: [who.userId] }).catch(() => undefined);
              await pages.renew(request);
              return sent;
            }
            // What is emptied on the form is taken away.
            const changes = { website: null, ...body };
            return operations.perform('changeSellerApplication', request, {
              params: { application },
              body: changes,
            });
          },
          (refused) => redraw(parts, request, who, texts, refused),
          () => `${PATH}?done=${application === undefined ? 'sent' : 'changed'}`,
        );
      }),
  });
}

async function redraw(
  parts: ApplyPageParts,
  request: HttpRequest,
  who: SignedIn,
  texts: FormTexts,
  refused: Refusal,
): Promise<Reply> {
  return draw(parts, request, await listApplications(parts.knex, who.userId), { form: { texts, refused } });
}

interface Drawn {
  readonly form: { readonly texts: FormTexts; readonly refused?: Refusal } | null;
  readonly notice?: keyof typeof SAID | undefined;
}

function draw(
  parts: ApplyPageParts,
  request: HttpRequest,
  own: readonly SellerApplication[],
  { form, notice }: Drawn,
): Reply {
  const schema = parts.operations.bodySchema('sendSellerApplication');
  const newestOf = new Map(own.toReversed().map((one) => [one.team_id, one.id]));
  return shown(parts, request, {
    own: own.map((one) => ({
      ...one,
      name: one.team?.name ?? '',
      mayRetry:
        one.status === 'declined' && newestOf.get(one.team_id) === one.id && one.team?.approved_at === null,
    })),
    form:
      form === null
        ? null
        : {
            ...formView(
              schema,
              form.texts,
              { ...OPTIONS, language: languageOf(request) },
              form.refused?.errors,
            ),
            hidden: ['team_id', 'application'].flatMap((name) => {
              const value = form.texts[name];
              return value === undefined ? [] : [{ name, value }];
            }),
          },
    status: form?.refused?.status ?? 200,
    notice: notice === undefined ? null : { kind: 'good', text: SAID[notice] },
  });
}

/** What the form on an application is filled with. */
function textsOf(one: SellerApplication, what: 'change' | 'again'): FormTexts {
  const { legal_name, address, sells, phone, website, sales_per_year } = one;
  return {
    ...{ legal_name, address, sells, phone, sales_per_year, name: one.team?.name ?? '' },
    website: website ?? '',
    ...(what === 'change' ? { application: String(one.id) } : { team_id: String(one.team_id) }),
  };
}

function shown(
  { pages }: ApplyPageParts,
  request: HttpRequest,
  { status = 200, ...data }: { readonly status?: number; readonly [name: string]: unknown },
): Reply {
  const meta = {
    description: 'Sell with an auction house of your own: apply, and prepare your first sale.',
    path: PATH,
  };
  return pages.html(request, {
    ...{ title: HEADING, template: 'seller/apply/sell', status, meta },
    data: { own: [], form: null, notice: null, signedInNext: PATH, sheets: ['desk.css'], ...data },
  });
}
