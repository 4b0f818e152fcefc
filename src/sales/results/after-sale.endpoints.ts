/** After a sale by API: what is left to do, with the rows that each figure is made of, and reminding a buyer. */
import { type Static, Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { decimalsOf, formatCents, formatTotal } from '../../../engine/money.ts';
import { actingSeller, whosOf } from '../../accounts/teams/seller.ts';
import { actingTeam, TEAM_CODES, TeamHeaders } from '../../accounts/teams/team-context.ts';
import { Auction } from '../../bidding/records/auction.model.ts';
import { InvoiceParams } from '../../billing/invoices/invoice.schema.ts';
import { SettlementStatusSchema } from '../../billing/settlements/settlement.model.ts';
import { Id, oneOf, orNull, Time } from '../../shared/fields.schema.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import { AUCTION_POLICY, auctionState } from '../../shared/policy/auction-policy.ts';
import { requireAllowed } from '../../shared/policy/policy.ts';
import { notFound } from '../../shared/refusal.ts';
import { type AfterSale, readAfterSale, remindBuyer } from './after-sale.ts';
import type { LotResult } from './lot-results.ts';

const textOrNull = orNull(Type.String());
const lot = { lot_id: Type.Integer(), lot_number: Type.Integer(), title: Type.String() };
const Collecting = Type.Object({
  ...lot,
  buyer: textOrNull,
  invoice_number: textOrNull,
  collection_at: orNull(Time, { description: 'The time that the buyer has booked.' }),
  collection_code: textOrNull,
  collected_at: orNull(Time),
});

const AfterBody = Type.Object(
  {
    auction_id: Type.Integer(),
    currency: Type.String(),
    sold: Type.Object({
      lots: Type.Integer(),
      of: Type.Integer(),
      hammer: Type.String({ description: 'The sum of the lots’ hammer prices.' }),
    }),
    to_decide: Type.Array(
      Type.Object({
        ...lot,
        status: Type.String({ description: '`defaulted`: its winner did not pay.' }),
        highest_bid: textOrNull,
        reserve_price: textOrNull,
        options: Type.Array(oneOf(['accept', 'offer', 'relist'])),
        offered: orNull(Type.Object({ amount: Type.String(), expires_at: Time })),
      }),
    ),
    unpaid: Type.Array(
      Type.Object({
        ...lot,
        invoice_number: textOrNull,
        buyer: textOrNull,
        amount_due: Type.String(),
        owed: Type.String(),
        due_at: orNull(Time),
        overdue_at: orNull(Time),
        reminded_at: orNull(Time),
      }),
    ),
    to_collect: Type.Array(Collecting),
    collected: Type.Array(Collecting),
    money: Type.Object({
      received: Type.String({ description: 'Of paid invoices.' }),
      owed: Type.String({ description: 'What is still to be paid of open ones.' }),
      settlement: orNull(
        Type.Object({
          statement_number: Type.String(),
          status: SettlementStatusSchema,
          net: Type.String(),
          waiting_for: Type.Array(Type.String()),
          paid_at: orNull(Time),
        }),
      ),
    }),
    buyers: Type.Array(
      Type.Object({
        name: textOrNull,
        email: textOrNull,
        phone: textOrNull,
        paddle_number: textOrNull,
        lot_numbers: Type.Array(Type.Integer()),
        bought: Type.String({ description: 'What their invoices come to.' }),
        owed: Type.String(),
      }),
    ),
  },
  { $id: 'AfterSale' },
);

const head = {
  tags: ['Settlements'],
  access: { kind: 'ability', ability: 'seller' },
  headers: TeamHeaders,
} as const;
const ReminderParams = Type.Object({ invoice: InvoiceParams.properties.id });

export function afterSaleEndpoints(knex: Knex): Endpoint[] {
  return [read(knex), remind(knex)];
}

function read(knex: Knex): Endpoint {
  return endpoint({
    ...head,
    method: 'GET',
    path: '/api/v1/seller/auctions/{id}/after',
    operationId: 'getAfterSale',
    summary: 'What is left to do after a sale',
    description:
      'Lots to decide on (by `accept-bid`, `second-chance` and `relist` of `/api/v1/seller/lots/{id}`), invoices ' +
      'that are not paid, what is to be collected, what money comes when, and the buyers’ contacts.',
    params: Type.Object({ id: Id }),
    codes: TEAM_CODES,
    responses: { 200: { description: 'All of it.', schema: bodyOf(AfterBody) } },
    async handle(request) {
      const seller = await actingSeller(knex, request);
      const auction = await Auction.query(knex).findOne({ id: request.params.id, team_id: seller.teamId });
      if (auction === undefined) throw notFound('There is no such auction.');
      const state = auctionState(auction.status, auction.published_at !== null);
      requireAllowed(AUCTION_POLICY, 'read_as_seller', state, await whosOf(knex, seller));
      return success(shown(await readAfterSale(knex, auction)));
    },
  });
}

function remind(knex: Knex): Endpoint {
  return endpoint({
    ...head,
    method: 'POST',
    path: '/api/v1/seller/invoices/{invoice}/reminder',
    operationId: 'remindBuyer',
    summary: 'Remind the buyer of an open invoice',
    description:
      'By notification and mail, at most once a day; the first reminder goes by itself once it is overdue.',
    params: ReminderParams,
    bodyOptional: true,
    codes: [...TEAM_CODES, 'invalid_transition'],
    responses: {
      200: {
        description: 'The buyer is reminded.',
        schema: bodyOf(Type.Object({ invoice_number: Type.String(), reminded_at: orNull(Time) })),
      },
    },
    async handle(request) {
      const teamId = await actingTeam(knex, request);
      const invoice = await remindBuyer(knex, teamId, request.params.invoice);
      if (invoice === undefined) throw notFound('There is no such invoice.');
      const { invoice_number, reminded_at } = invoice;
      return success({ invoice_number, reminded_at }, { message: 'The buyer is reminded.' });
    },
  });
}

function shown(after: AfterSale): Static<typeof AfterBody> {
  const { auction, sold, results, settlement } = after;
  const decimals = decimalsOf(auction.currency);
  const total = (cents: bigint) => formatTotal(cents, decimals);
  const amount = (cents: number) => formatCents(cents, decimals);
  const orNothing = (cents: number | null) => (cents === null ? null : amount(cents));
  const named = ({ id, lot_number, title }: LotResult) => ({ lot_id: id, lot_number, title });
  const collecting = (of: LotResult) => ({
    ...named(of),
    ...{ buyer: of.buyer, invoice_number: of.invoice_number, collection_at: of.collection_at },
    ...{ collection_code: of.collection_code, collected_at: of.collected_at },
  });
  return {
    auction_id: auction.id,
    currency: auction.currency,
    sold: { lots: sold.length, of: results.length, hammer: total(after.hammerCents) },
    to_decide: after.toDecide.map(({ result, isDefaulted, options, offer }) => ({
      ...named(result),
      status: isDefaulted ? 'defaulted' : result.status,
      highest_bid: orNothing(result.current_bid_cents),
      reserve_price: orNothing(result.reserve_price_cents),
      options: [...options],
      offered: offer === null ? null : { amount: amount(offer.amount_cents), expires_at: offer.expires_at },
    })),
    unpaid: after.unpaid.map((result) => ({
      ...named(result),
      ...{ invoice_number: result.invoice_number, buyer: result.buyer },
      amount_due: amount(result.amount_due_cents ?? 0),
      owed: amount(Math.max(0, result.owed_cents ?? 0)),
      ...{ due_at: result.due_at, overdue_at: result.overdue_at, reminded_at: result.reminded_at },
    })),
    to_collect: after.toCollect.map(collecting),
    collected: after.collected.map(collecting),
    money: {
      received: total(after.receivedCents),
      owed: total(after.owedCents),
      settlement:
        settlement === null
          ? null
          : {
              statement_number: settlement.row.statement_number,
              status: settlement.row.status,
              net: total(settlement.netCents),
              waiting_for: [...settlement.waitingFor],
              paid_at: settlement.row.paid_at,
            },
    },
    buyers: after.buyers.map(({ lots, boughtCents, owedCents }) => ({
      name: lots[0]?.buyer ?? null,
      email: lots[0]?.buyer_email ?? null,
      phone: lots[0]?.buyer_phone ?? null,
      paddle_number: lots[0]?.paddle ?? null,
      lot_numbers: lots.map(({ lot_number }) => lot_number),
      bought: total(boughtCents),
      owed: total(owedCents),
    })),
  };
}
