/** The harness itself: it serves, and it notices an answer that its endpoint never promised. */
import { expect } from 'chai';
import { AnswerCheck } from './answer-check.ts';
import { aLot, aUser } from './builders.ts';
import { type Service, startService } from './service.ts';

describe('service for tests', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  it('answers over HTTP, with tokens, on servers of its own', async () => {
    const user = await aUser(service.database);
    const lot = await aLot(service.database);
    expect(await service.publish()).to.equal(1);
    const token = await service.tokenFor(user);
    const answer = await service.get('/api/v1/me', token);
    expect(answer.status).to.equal(200);
    expect(answer.body.data).to.include({ id: user.id, email: user.email });
    expect((await service.get(`/api/v1/lots/${lot.id}`)).body.data.current_bid).to.equal('0.00');
    const placed = await service.call('POST', `/api/v1/lots/${lot.id}/bids`, {
      token,
      body: { amount: '150.00' },
    });
    expect(placed.status).to.equal(201);
    expect((await service.get(`/api/v1/lots/${lot.id}`)).body.data.current_bid).to.equal('150.00');
  });

  it('reports an answer that does not fit the description', () => {
    const endpoint = service.web.app.endpoints.find((one) => one.operationId === 'getMe')!;
    const check = new AnswerCheck();
    check.use(service.web.app.document);
    const headers = ['Content-Type', 'application/json; charset=utf-8'];
    check.observe(endpoint, { status: 200, headers, payload: '{"success":true,"data":{"id":"one"}}' });
    check.observe(endpoint, { status: 418, headers, payload: '{}' });
    expect(() => check.finish()).to.throw(/getMe|me → 200[\s\S]*418: the status is not documented/);
  });

  it('reports a field that the description does not name', async () => {
    const endpoint = service.web.app.endpoints.find((one) => one.operationId === 'getUser')!;
    const user = await aUser(service.database);
    const { body } = await service.get('/api/user', await service.tokenFor(user));
    const check = new AnswerCheck();
    check.use(service.web.app.document);
    const headers = ['Content-Type', 'application/json; charset=utf-8'];
    check.observe(endpoint, { status: 200, headers, payload: JSON.stringify(body) });
    check.finish();
    const payload = JSON.stringify({ ...body, data: { ...body.data, password_hash: 'x' } });
    check.observe(endpoint, { status: 200, headers, payload });
    expect(() => check.finish()).to.throw(/user → 200: .*additional properties/);
  });
});
