import { Type } from '@sinclair/typebox';
import { expect } from 'chai';
import { type Endpoint, endpoint, type Reply } from '../../adapters/http/endpoint.ts';
import { call, serve } from '../adapters/http/server-fixture.ts';
import { refused } from '../adapters/http/test-endpoints.ts';
import { answerChecker } from './answer-checker.ts';

const Lot = Type.Object({ id: Type.Integer() }, { $id: 'CheckedLot' });

function answering(handle: () => Promise<Reply>): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/api/v1/thing',
    operationId: 'getThing',
    summary: '',
    tags: [],
    access: { kind: 'public' },
    codes: ['lot_closed'],
    responses: {
      200: { description: 'ok', schema: Type.Object({ success: Type.Literal(true), data: Lot }) },
    },
    handle,
  });
}

async function reportsOf(handle: () => Promise<Reply>): Promise<string[]> {
  const reports: string[] = [];
  const server = await serve([answering(handle)], {
    observe: answerChecker((sentence) => reports.push(sentence)),
  });
  await call(`${server.url}/api/v1/thing`);
  await call(`${server.url}/readyz`);
  await call(`${server.url}/metrics`);
  await call(`${server.url}/docs/api/openapi.json`);
  await server.close();
  return reports;
}

describe('the check of answers', () => {
  it('accepts what is described', async () => {
    expect(
      await reportsOf(async () => ({ status: 200, body: { success: true, data: { id: 1 } } })),
    ).to.deep.equal([]);
    expect(await reportsOf(() => Promise.reject(refused('lot_closed')))).to.deep.equal([]);
  });

  it('reports a different shape, status, type or refusal', async () => {
    const wrong: (() => Promise<Reply>)[] = [
      async () => ({ status: 200, body: { success: true, data: { id: '1' } } }),
      async () => ({ status: 201, body: { success: true, data: { id: 1 } } }),
      async () => ({ status: 200, raw: 'x', contentType: 'text/plain' }),
      async () => ({ status: 409, body: { message: 'no envelope' } }),
      () => Promise.reject(refused('lot_withdrawn')),
    ];
    for (const handle of wrong) expect(await reportsOf(handle), handle.toString()).to.have.length(1);
  });
});
