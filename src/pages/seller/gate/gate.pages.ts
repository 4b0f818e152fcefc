/** `/seller/collections`: the gate. A code finds a collection; its lots are ticked as they go. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Reply } from '../../../../adapters/http/endpoint.ts';
import { PAGE } from '../../page.ts';
import { type Refusal, submit, TextForm, textsIn, tickedIn } from '../forms/desk-form.ts';
import type { Desk, Visit } from '../frame/desk.ts';

const PATH = '/seller/collections';
const CodeParams = Type.Object({ code: Type.String({ pattern: '^[A-Za-z0-9]{8}$' }) });

export function gatePages(desk: Desk): Endpoint[] {
  return [list(desk), one(desk), collected(desk)];
}

function list(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: PATH,
    operationId: 'sellerCollectionsPage',
    summary: 'Who comes for what, and finding a collection by its code',
    query: Type.Object({ code: Type.Optional(Type.String({ maxLength: 40 })) }),
    handle: (request) =>
      desk.at(request, async (visit) => {
        const typed = request.query.code ?? null;
        const code = typed?.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase() ?? '';
        if (code.length === 8 && (await isKnown(visit, code))) return desk.go(`${PATH}/${code}`);
        const { data: collections } = await visit.perform('listSellerCollections');
        const data = { collections, typed };
        const status = typed === null ? 200 : 404;
        return desk.html(visit, { title: 'Collections', template: 'seller/gate/gate', data, status });
      }),
  });
}

async function isKnown(visit: Visit, code: string): Promise<boolean> {
  try {
    await visit.perform('getSellerCollection', { params: { code } });
    return true;
  } catch {
    return false;
  }
}

function one(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: `${PATH}/{code}`,
    operationId: 'sellerCollectionPage',
    summary: 'A collection at the gate',
    params: CodeParams,
    query: Type.Object({ done: Type.Optional(Type.Literal('1')) }),
    handle: (request) =>
      desk.at(request, (visit) => {
        const { code } = request.params;
        return draw(desk, visit, code, { refused: null, isDone: request.query.done !== undefined });
      }),
  });
}

function collected(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${PATH}/{code}/collected`,
    operationId: 'markCollectedOnPage',
    summary: 'Notes that lots are gone',
    params: CodeParams,
    body: { form: TextForm },
    handle: (request) =>
      desk.at(request, (visit) => {
        const { code } = request.params;
        const body = { lot_ids: tickedIn(textsIn(request.body), 'lot') };
        return submit(
          desk,
          () => visit.perform('markCollected', { params: { code }, body }),
          (refused) => draw(desk, visit, code, { refused, isDone: false }),
          () => `${PATH}/${code}?done=1`,
        );
      }),
  });
}

interface Outcome {
  readonly refused: Refusal | null;
  readonly isDone: boolean;
}

async function draw(desk: Desk, visit: Visit, code: string, { refused, isDone }: Outcome): Promise<Reply> {
  const { data: collection } = await visit.perform('getSellerCollection', { params: { code } });
  const wrong = refused === null ? null : (refused.errors['']?.[0] ?? 'Tick what is collected.');
  const good = isDone ? { kind: 'good', text: 'It is noted.' } : null;
  return desk.html(visit, {
    title: ['Collection {0}', code],
    template: 'seller/gate/collection',
    status: refused?.status ?? 200,
    data: { collection, notice: wrong === null ? good : { kind: 'bad', text: wrong } },
  });
}
