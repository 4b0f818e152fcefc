/**
 * What belongs to others, one thing of every kind that a path can name: a team's by `SellerRoutes`, a person's made
 * here. A route with an unknown kind of parameter has to be described here.
 */
import { createHash } from 'node:crypto';
import type { Endpoint } from '../../adapters/http/endpoint.ts';
import type { User } from '../../src/accounts/models/user.model.ts';
import type { Lot } from '../../src/bidding/records/lot.model.ts';
import type { BrowserLike } from '../support/browser-like.ts';
import { SellerRoutes } from '../support/seller-routes.ts';
import type { Service } from '../support/service.ts';

export interface Others {
  readonly teamId: number;
  /** Whose things a person's are. */
  readonly person: User;
  /** Where they are signed in. */
  readonly browser: BrowserLike;
  /** A lot that only its team, its consignor and its bidders know of, under the engine. */
  readonly lot: Lot;
  readonly bidId: string;
  readonly mark: string;
  /** One of several in the same database has a number of its own, from 1. */
  readonly nth?: number;
}

/** What a parameter names on the paths that fit; the first that fits counts. */
type Names = readonly (readonly [under: RegExp, name: string, value: string])[];

/** Gives each path the ids of things that are others'. */
export async function othersThings(
  service: Service,
  others: Others,
): Promise<(endpoint: Endpoint) => string> {
  const named = await othersValues(service, others);
  return ({ path }) => path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => named(path, name));
}

/** What a parameter of a path names, where all things are others'. Throws for one that nothing is known of. */
export async function othersValues(
  service: Service,
  others: Others,
): Promise<(path: string, name: string) => string> {
  const { teamId, person, lot, bidId, mark } = others;
  const things = await SellerRoutes.of(service, { id: teamId, userId: person.id }, mark);
  const of = (kind: string) => String(things.idOf(kind));
  const own = await personalThings(service, others, things.idOf('auction'));
  const names: Names = [
    [
      /^\/api\/v1\/auctions\/|^\/auctions\/|auctions\/\{id\}\/(saleroom|left-bids|live)/,
      'auction',
      String(lot.auction_id),
    ],
    [/\/auctions\/\{id\}\/(saleroom|left-bids|live|results)/, 'id', String(lot.auction_id)],
    [/\/lots\/\{id\}\/(second-chance|accept-bid)/, 'id', String(lot.id)],
    [/\/seller\/auctions\//, 'id', of('auction')],
    [/\/seller\/lots\//, 'id', of('lot')],
    [/\/seller\/inventory\//, 'id', of('item')],
    [/campaigns\//, 'id', of('campaign')],
    [/checkouts\//, 'id', own.checkout],
    [/seller-applications/, 'application', own.application],
    [/push-subscriptions/, 'subscription', own.browser],
    [/passkeys/, 'passkey', own.passkey],
    [/bid-groups/, 'group', own.group],
    [/seller\/collections/, 'code', of('code')],
    [/account\/collections|me\/collections/, 'collection', own.collection],
    [/consignor/, 'link', of('link')],
    [/^\/consignor\//, 'secret', 'A'.repeat(43)],
    [/papers/, 'paper', of('paper')],
    [/left-bids/, 'left_bid', of('left_bid')],
    [/presets/, 'preset', of('preset')],
    [/questions/, 'question', own.question],
    [/viewings/, 'viewing', '20260101T000000Z'],
    [/webhook/, 'id', of('subscription')],
    [/webhook/, 'delivery', of('delivery')],
    [/cross-listings/, 'listing', of('listing')],
    [/registrations/, 'registration', of('registration')],
    [/bids\//, 'id', bidId],
    [/invitations/, 'id', own.invitation],
    [/\/import\//, 'import', own.lotImport],
    [/credit-notes/, 'number', own.creditNoteNumber],
    [/seller\/invoices/, 'invoice', of('invoice')],
    [/invoices|sandbox/, 'number', own.invoiceNumber],
    [/invoices/, 'id', own.invoiceNumber],
    [/settlements/, 'number', own.statementNumber],
    [/offers/, 'id', own.offer],
    [/offers/, 'offer', own.offer],
    [/searches/, 'search', own.search],
    [/notifications/, 'notification', own.notification],
    [/tokens/, 'token', own.token],
    [/sessions/, 'ref', own.session],
    [/media/, 'media', own.media],
    [/./, 'team', String(teamId)],
    [/./, 'user', String(person.id)],
    // These do not reveal whether what is named exists.
    [/^\/office\//, 'invoice', own.invoiceNumber],
    [/^\/office\//, 'platform', 'hall'],
    [/^\/office\//, '', '1'],
  ];
  return (path, name) => {
    const found = names.find(([under, one]) => under.test(path) && (one === name || one === ''));
    if (found === undefined) throw new Error(`say what {${name}} of ${path} names`);
    return found[2];
  };
}

/** What the forms of pages take, by their operation; the rest take an empty one. */
export function othersForms(lotId: number, bidId: string): Readonly<Record<string, Record<string, string>>> {
  const lot_id = String(lotId);
  return {
    answerOfferOnPage: { answer: 'accept' },
    callBidInSaleroomOnPage: { lot_id, paddle: '7', amount: '900.00', call_id: 'call-1' },
    saveSalePresetOnPage: { name: 'Mine' },
    callLeftBidOnPage: { lot_id, paddle: '7', amount: '900.00', call_id: 'call-3' },
    leaveBidsOnPage: { absentee: '7, 1, 900', phones: '' },
    fallHammerInSaleroomOnPage: { lot_id, result: 'sold', price: '200.00', call_id: 'call-2' },
    undoFloorBidOnPage: { lot_id, bid_id: bidId, reason: 'Mine' },
    decideAfterSaleOnPage: { action: 'remind-INV-2026-90001' },
    createPaperOnPage: { kind: 'labels', format: 'pdf' },
    handOutPaddleOnPage: { paddle: '', name: 'Mine', contact: '' },
    giveFairWarningOnPage: { lot_id },
    takeHammerBackOnPage: { lot_id },
    nextLotInSaleroomOnPage: { lot_id },
    changeTeamMemberOnPage: { role: 'removed' },
    moveSellerAuctionOnPage: { status: 'cancelled' },
    moveSellerCampaignOnPage: { status: 'cancelled' },
    moveSellerLotOnPage: { status: 'deleted' },
    watchOnPage: { watch: 'yes' },
    withdrawBidOnPage: { bid: '1' },
    chooseLotsOnPage: { 'lot-1': 'yes' },
    changeSellerAuctionOnPage: { title: 'Mine' },
    changeSellerLotOnPage: { title: 'Mine' },
    changeSellerItemOnPage: { title: 'Mine' },
    changeSellerCampaignOnPage: { name: 'Mine' },
    inviteBidderOnPage: { email: 'somebody@example.com' },
    decideRegistrationOnPage: { status: 'declined' },
    sendQuestionOnPage: { text: 'Mine' },
    enquireOnPage: { text: 'Mine' },
    reportOnPage: { reason: 'other', text: 'Mine' },
    answerOnPage: { hidden: 'yes' },
    linkTeamSignInOnPage: { link: 'mine' },
    renamePasskeyOnPage: { name: 'Mine' },
    editPictureOnPage: { action: 'turn_right' },
    bookViewingOnPage: { viewing: '20260101T000000Z' },
  };
}

/** What a person has, and what has no route of its own to be made by; texts, as paths have them. */
async function personalThings(
  service: Service,
  { teamId, person, browser, lot, mark, nth = 1 }: Others,
  draftId: number,
) {
  const { knex } = service.database;
  const insert = async (table: string, row: object): Promise<string> =>
    String((await knex(table).insert(row).returning('id'))[0].id);
  const hashed = createHash('sha256').update(mark).digest('hex');
  const later = new Date(Date.now() + 86_400_000);
  const [user_id, lot_id, auction_id, team_id] = [person.id, lot.id, lot.auction_id, teamId];
  const [invoiceNumber, statementNumber] = [`INV-2026-9000${nth}`, `SET-2026-9000${nth}`];
  const creditNoteNumber = `CN-2026-9000${nth}`;
  const money = { currency: 'usd', amount_due_cents: 50_000, due_at: later };
  const invoice_id = await insert('invoices', {
    ...{ ...money, invoice_number: invoiceNumber, kind: 'winner', status: 'open' },
    ...{ user_id, team_id, auction_id, lot_id },
  });
  await insert('credit_notes', { invoice_id, number: creditNoteNumber, amount_cents: 50_000 });
  const settled = { auction_id, team_id, currency: 'usd', commission_bps: 100 };
  await insert('settlements', { ...settled, statement_number: statementNumber });
  return {
    invoiceNumber,
    creditNoteNumber,
    statementNumber,
    session: await sessionRef(browser),
    offer: await insert('offers', {
      lot_id,
      auction_id,
      user_id,
      amount_cents: 50_000,
      currency: 'usd',
      expires_at: later,
    }),
    browser: await insert('push_subscriptions', {
      ...{ user_id, endpoint: `https://push.example.com/${mark}`, p256dh: mark, auth: mark },
    }),
    passkey: await insert('passkeys', {
      ...{ user_id, credential_id: hashed, public_key: mark, user_handle: mark, counter: 0 },
      ...{ name: mark, synced: false },
    }),
    group: await insert('bid_groups', { user_id, auction_id, wanted: 1 }),
    checkout: await insert('checkouts', { user_id, currency: 'usd', amount_cents: 50_000 }),
    application: await insert('seller_applications', {
      ...{
        team_id,
        user_id,
        legal_name: mark,
        address: mark,
        sells: mark,
        phone: '1',
        sales_per_year: '1_to_4',
      },
    }),
    question: await insert('lot_questions', { lot_id, user_id, text: mark }),
    collection: await insert('collections', {
      ...{
        user_id,
        auction_id,
        code: `K7QM3XP${'CDEF'.charAt(nth)}`,
        slot: mark,
        starts_at: later,
        ends_at: later,
      },
    }),
    search: await insert('saved_searches', { user_id, name: mark, query: `q=${mark}` }),
    notification: await insert('notifications', { user_id, kind: 'outbid', key: mark, lot_id }),
    token: await insert('tokens', {
      ...{ user_id, name: mark, abilities: ['read'] },
      token_hash: hashed,
    }),
    media: await insert('media', {
      ...{ lot_id, kind: 'document', file_key: `others-${nth}.pdf`, file_name: `${mark}.pdf` },
      ...{ mime_type: 'application/pdf', size: 1 },
    }),
    invitation: await insert('team_invitations', {
      ...{ team_id, invited_by: user_id, email: 'somebody@example.com', role: 'member' },
      ...{ token_hash: hashed, expires_at: later },
    }),
    lotImport: await insert('lot_imports', {
      ...{
        team_id,
        auction_id: draftId,
        user_id,
        file_name: `${mark}.csv`,
        text: 'title\nA',
        columns: '["title"]',
      },
      ...{ rows_total: 1, status: 'right' },
    }),
  };
}

/** What the person's session is called in their list. */
async function sessionRef(browser: BrowserLike): Promise<string> {
  const { text } = await browser.get('/account/security');
  const ref = /sessions\/([A-Za-z0-9_-]{43})\/end/.exec(text)?.[1];
  if (ref === undefined) throw new Error('the page lists no session');
  return ref;
}
