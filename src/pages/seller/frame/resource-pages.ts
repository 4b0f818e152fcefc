/**
 * Form pages for one kind of a team's resources: a page to create one and a page to change one; refused values are
 * shown next to their fields. Inventory and campaigns each describe their own kind.
 */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Reply } from '../../../../adapters/http/endpoint.ts';
import { namesIn } from '../../../../engine/objects.ts';
import { Id, oneOf } from '../../../shared/fields.schema.ts';
import { languageOf, PAGE } from '../../page.ts';
import { changeResource, idIn, type Refusal, submit, TextForm, textsIn } from '../forms/desk-form.ts';
import { formView } from '../forms/form-fields.ts';
import type { FormOptions } from '../forms/form-options.ts';
import { bodyOf, type FormTexts, marksOf, readMarks, textsOf } from '../forms/form-values.ts';
import type { Schema } from '../forms/shapes.ts';
import { type Desk, shownFor, type Visit } from './desk.ts';

export interface ResourceKind {
  /** Where the list is; the forms are under it. */
  readonly path: string;
  readonly noun: string;
  /** For operation ids of pages: `SellerCampaign`. */
  readonly name: string;
  readonly create: string;
  readonly change: string;
  /** The resource as the API shows it. Throws 404. */
  read(desk: Desk, visit: Visit, id: number): Promise<Readonly<Record<string, unknown>>>;
  /** The form's schema and options for what is filled in; `resource` is null where one is made. */
  form(
    desk: Desk,
    visit: Visit,
    texts: FormTexts,
    schema: Schema,
    resource: Readonly<Record<string, unknown>> | null,
  ): Promise<{ schema: Schema; options: FormOptions }>;
  readonly defaults?: FormTexts;
  /** What the page of a resource shows besides its form. */
  readonly template: string;
  more?(desk: Desk, visit: Visit, resource: Readonly<Record<string, unknown>>): Promise<object>;
}

const Params = Type.Object({ id: Id });
const DONE = { created: 'has been created', saved: 'has been saved' } as const;
type Done = keyof typeof DONE;
const DoneQuery = Type.Object({ done: Type.Optional(oneOf(namesIn(DONE))) });

interface Drawn {
  readonly resource: Readonly<Record<string, unknown>> | null;
  readonly texts: FormTexts;
  readonly marks: string;
  readonly refused?: Refusal;
  readonly done?: Done;
}

export function resourcePages(desk: Desk, kind: ResourceKind): Endpoint[] {
  return [newPage(desk, kind), create(desk, kind), page(desk, kind), save(desk, kind)];
}

/** The page of a resource, or of one that is to be made. */
async function drawResource(desk: Desk, kind: ResourceKind, visit: Visit, drawn: Drawn): Promise<Reply> {
  const { resource, texts, marks, refused, done } = drawn;
  const whole = desk.operations.bodySchema(resource === null ? kind.create : kind.change);
  const { schema, options } = await kind.form(desk, visit, texts, whole, resource);
  const path = resource === null ? kind.path : `${kind.path}/${String(resource['id'])}`;
  return desk.html(visit, {
    title: resource === null ? `New ${kind.noun}` : ['{0}', String(resource['name'] ?? resource['title'])],
    template: kind.template,
    status: refused?.status ?? 200,
    data: {
      ...{ resource, marks, action: path, listPath: kind.path, noun: kind.noun },
      form: formView(schema, texts, { ...options, language: languageOf(visit.request) }, refused?.errors),
      notice: done === undefined ? null : { kind: 'good', text: `The ${kind.noun} ${DONE[done]}.` },
      modules: ['seller-desk.js'],
      ...(resource === null ? {} : await kind.more?.(desk, visit, resource)),
    },
  });
}

/** As the page shows a resource that is there. */
export async function drawStored(
  desk: Desk,
  kind: ResourceKind,
  visit: Visit,
  id: number,
  came: Pick<Drawn, 'refused' | 'done'> = {},
): Promise<Reply> {
  const resource = await kind.read(desk, visit, id);
  const { schema } = await kind.form(desk, visit, {}, desk.operations.bodySchema(kind.change), resource);
  const texts = textsOf(schema, resource, shownFor(visit.request));
  return drawResource(desk, kind, visit, { resource, texts, marks: marksOf(texts), ...came });
}

function newPage(desk: Desk, kind: ResourceKind): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: `${kind.path}/new`,
    operationId: `new${kind.name}Page`,
    summary: `The form of a new ${kind.noun}`,
    handle: (request) =>
      desk.at(request, (visit) =>
        drawResource(desk, kind, visit, { resource: null, texts: kind.defaults ?? {}, marks: '' }),
      ),
  });
}

function create(desk: Desk, kind: ResourceKind): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: kind.path,
    operationId: `create${kind.name}OnPage`,
    summary: `Creates one ${kind.noun}`,
    body: { form: TextForm },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const texts = textsIn(request.body);
        const { schema } = await kind.form(desk, visit, texts, desk.operations.bodySchema(kind.create), null);
        const body = bodyOf(schema, texts, { marks: null, ...shownFor(request) });
        return submit(
          desk,
          () => visit.perform(kind.create, { body }),
          (refused) => drawResource(desk, kind, visit, { resource: null, texts, marks: '', refused }),
          (data) => `${kind.path}/${idIn(data)}?done=created`,
        );
      }),
  });
}

function page(desk: Desk, kind: ResourceKind): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: `${kind.path}/{id}`,
    operationId: `${kind.name.charAt(0).toLowerCase()}${kind.name.slice(1)}Page`,
    summary: `One ${kind.noun}`,
    params: Params,
    query: DoneQuery,
    handle: (request) =>
      desk.at(request, (visit) => {
        const { done } = request.query;
        return drawStored(desk, kind, visit, request.params.id, done === undefined ? {} : { done });
      }),
  });
}

function save(desk: Desk, kind: ResourceKind): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${kind.path}/{id}`,
    operationId: `change${kind.name}OnPage`,
    summary: `Changes one ${kind.noun}`,
    params: Params,
    body: { form: TextForm },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { id } = request.params;
        const resource = await kind.read(desk, visit, id);
        const texts = textsIn(request.body);
        const marks = texts['_marks'] ?? '';
        const whole = desk.operations.bodySchema(kind.change);
        const { schema } = await kind.form(desk, visit, texts, whole, resource);
        const body = bodyOf(schema, texts, { marks: readMarks(marks), ...shownFor(request) });
        return submit(
          desk,
          () => changeResource(visit, kind.change, id, body),
          (refused) => drawResource(desk, kind, visit, { resource, texts, marks, refused }),
          () => `${kind.path}/${id}?done=saved`,
        );
      }),
  });
}
