/** `/seller/team/sales`: what the team's new auctions begin with. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Reply } from '../../../../adapters/http/endpoint.ts';
import { objectIn } from '../../../../engine/objects.ts';
import { isKeeper, Team } from '../../../accounts/models/team.model.ts';
import { languageOf, PAGE } from '../../page.ts';
import { zoneOf } from '../../shown-text.ts';
import {
  SALE_TERM_HINTS,
  SALE_TERM_LABELS,
  SALE_TERM_ORDER,
  SALE_TERM_UNITS,
} from '../auctions/auction-form.ts';
import { type Refusal, submit, TextForm, textsIn } from '../forms/desk-form.ts';
import { formView } from '../forms/form-fields.ts';
import { bodyOf, type FormTexts, marksOf, readMarks, textsOf } from '../forms/form-values.ts';
import { knownZone } from '../forms/local-times.ts';
import { type Schema, shapeOf } from '../forms/shapes.ts';
import { type Desk, shownFor, type Visit } from '../frame/desk.ts';

const PATH = '/seller/team/sales';
const PREFIX = 'sale_defaults.';

export function saleDefaultsPages(desk: Desk): Endpoint[] {
  return [page(desk), save(desk)];
}

function page(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: PATH,
    operationId: 'saleDefaultsPage',
    summary: 'What the team’s new auctions begin with',
    query: Type.Object({ done: Type.Optional(Type.Literal('saved')) }),
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { sale_defaults } = await Team.query(desk.knex).findById(visit.team.id).throwIfNotFound();
        const texts = textsOf(schemaIn(desk), objectIn(sale_defaults), shownFor(request, zoneIn(visit)));
        return draw(desk, visit, { texts, marks: marksOf(texts), isSaved: request.query.done !== undefined });
      }),
  });
}

function save(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: PATH,
    operationId: 'changeSaleDefaultsOnPage',
    summary: 'Changes what the team’s new auctions begin with',
    body: { form: TextForm },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const texts = textsIn(request.body);
        const marks = texts['_marks'] ?? '';
        const changed = bodyOf(schemaIn(desk), texts, {
          marks: readMarks(marks),
          ...shownFor(request, zoneIn(visit)),
        });
        const params = { team: visit.team.id };
        return submit(
          desk,
          () => visit.perform('changeTeam', { params, body: { sale_defaults: changed } }),
          (refused) => draw(desk, visit, { texts, marks, refused }),
          () => `${PATH}?done=saved`,
        );
      }),
  });
}

const zoneIn = ({ request }: Visit) => knownZone(zoneOf(request.headers.cookie));

/** The fields of the API's `sale_defaults`. */
function schemaIn({ operations }: Desk): Schema {
  return shapeOf(operations.bodySchema('changeTeam').properties?.['sale_defaults'] ?? {}).schema;
}

interface Drawn {
  readonly texts: FormTexts;
  readonly marks: string;
  readonly refused?: Refusal;
  readonly isSaved?: boolean;
}

async function draw(
  desk: Desk,
  visit: Visit,
  { texts, marks, refused, isSaved = false }: Drawn,
): Promise<Reply> {
  const options = {
    order: SALE_TERM_ORDER,
    labels: SALE_TERM_LABELS,
    hints: SALE_TERM_HINTS,
    units: SALE_TERM_UNITS,
  };
  const errors = Object.entries(refused?.errors ?? {}).map(([name, sentences]) => [
    name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name,
    sentences.map((sentence) => sentence.replace(PREFIX, '')),
  ]);
  return desk.html(visit, {
    title: 'What new sales begin with',
    template: 'seller/team/sale-defaults',
    status: refused?.status ?? 200,
    data: {
      notice: isSaved ? { kind: 'good', text: 'Saved. New auctions begin with this.' } : null,
      isKeeper: isKeeper(visit.team.role),
      marks,
      form: formView(
        schemaIn(desk),
        texts,
        { ...options, language: languageOf(visit.request) },
        Object.fromEntries(errors),
      ),
      action: PATH,
      modules: ['seller-desk.js'],
    },
  });
}
