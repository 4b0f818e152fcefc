/**
 * What people would build, in a process of its own: Koa, its router and koa-body, a token looked up in memory, and
 * behind them either a stub that answers at once, or a transaction with `SELECT … FOR UPDATE` through `pg`. A message
 * says which.
 */
import { hash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import Koa, { type Context } from 'koa';
import { koaBody } from 'koa-body';
import { rowLock } from '../engine/postgres.ts';
import type { Contender } from '../engine/scenarios.ts';
import type { FixedAnswer } from './bare.ts';

export interface Handler {
  readonly tokens: readonly string[];
  /** The stub's answer, and the template of the other's. */
  readonly answer: FixedAnswer;
  /** Where the tables of the row lock are; without it the stub answers. */
  readonly rowLock?: { readonly tablesUrl: string; readonly connections: number };
}

let bidderOf = new Map<string, number>();
let data: object = {};
let contender: Contender | null = null;

async function bid(context: Context): Promise<void> {
  const bearer = context.get('authorization').slice('Bearer '.length);
  const bidder = bidderOf.get(hash('sha256', bearer, 'hex'));
  if (bidder === undefined) context.throw(401);
  const lot = Number((context['params'] as { lot: string }).lot);
  const { amount } = (context.request as unknown as { body: { amount: string } }).body;
  const taken = contender === null || (await contender.bid(lot, bidder as number, Number(amount) * 100));
  context.status = taken ? 201 : 422;
  context.body = taken
    ? { ...data, message: 'You are the high bidder.', bidder, amount }
    : { success: false, message: 'The bid is too low.', code: 'bid_too_low' };
}

const router = new Router();
router.post('/api/v1/lots/:lot/bids', koaBody({ multipart: false, urlencoded: false, text: false }), bid);
const app = new Koa();
app.use(router.routes());
const server = app.listen(0, '127.0.0.1', () =>
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
);
server.keepAliveTimeout = 65_000;

process.on('message', async (handler: Handler) => {
  await contender?.close();
  bidderOf = new Map(handler.tokens.map((token, index) => [hash('sha256', token, 'hex'), index + 1]));
  data = JSON.parse(handler.answer.body) as object;
  contender =
    handler.rowLock === undefined ? null : rowLock(handler.rowLock.tablesUrl, handler.rowLock.connections);
  process.send?.('taken');
});
process.on('disconnect', () => process.exit(0));
