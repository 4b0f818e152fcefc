/** A sale as its seller makes it: a draft, or published at once. */
import { newWorld } from '../support/naive-rules.ts';
import { type AuctionModel, cents, iso, type Privacy } from './market-terms.ts';
import { publish } from './moves.ts';
import { type Kind, refused } from './operation.ts';
import { isRefusal, sellerIn, sentBy, someSeller } from './seller-context.ts';

const MINUTE_MS = 60_000;
const NOT_APPROVED = refused(403, 'seller_not_approved');
const UNPROCESSABLE = refused(422, 'validation_failed');

export const createAuction: Kind = {
  name: 'create auction',
  weight: 5,
  propose(world, dice) {
    const team = dice.pick(Object.values(world.teams));
    return {
      name: `a${world.auctions.length + 1}`,
      ...someSeller(world, dice, team),
      startInMs: dice.pick([-MINUTE_MS, -MINUTE_MS, 2 * MINUTE_MS, 30 * MINUTE_MS]),
      lengthMs: dice.pick([20, 60, 180]) * MINUTE_MS,
      privacy: dice.pick<Privacy>(['public', 'public', 'public', 'unlisted', 'private']),
      mode: dice.pick(['open', 'open', 'open', 'approval', 'approval', 'deposit', 'deposit']),
      depositCents: dice.between(1, 600) * 100,
      premium: cents(dice.between(0, 2_000)),
      staggerSeconds: dice.pick([0, 0, 60]),
      windowSeconds: dice.pick([0, 120, 300]),
      extensionSeconds: dice.pick([60, 300]),
      maxExtensions: dice.pick([null, null, 1]),
      confirmFactor: dice.pick([0, 0, 0, 5]),
      status: dice.pick(['draft', 'draft', 'scheduled']),
    };
  },
  play(world, operation) {
    const { name, startInMs, lengthMs, privacy, mode, premium, status, depositCents = 0 } = operation;
    const { staggerSeconds, windowSeconds, extensionSeconds, maxExtensions, confirmFactor } = operation;
    const startUs = world.nowUs + Number(startInMs) * 1_000;
    const endUs = startUs + Number(lengthMs) * 1_000;
    const title = `${world.tag} sale ${name}`;
    const body = {
      ...{ title, status, start_time: iso(startUs), end_time: iso(endUs), privacy_setting: privacy },
      ...{ buyer_premium_percentage: premium, stagger_seconds: staggerSeconds },
      registration: { mode, ...(mode === 'deposit' ? { deposit_amount: cents(Number(depositCents)) } : {}) },
      ...{ confirm_factor: confirmFactor },
      soft_close: {
        window_seconds: windowSeconds,
        extension_seconds: extensionSeconds,
        max_extensions: maxExtensions,
      },
    };
    const sent = sentBy(operation, 'POST', 'auctions', body);
    const seller = sellerIn(world, operation);
    if (isRefusal(seller)) return { sent, expected: seller };
    const { team, maySell } = seller;
    const publishes = status === 'scheduled';
    if (publishes && !maySell) return { sent, expected: NOT_APPROVED };
    if (publishes && endUs <= world.nowUs) return { sent, expected: UNPROCESSABLE };
    const auction: AuctionModel = {
      ...{
        name: String(name),
        id: 0,
        slug: '',
        team,
        title,
        status: 'draft',
        published: false,
        started: false,
      },
      // Casts: as it was proposed.
      privacy: privacy as Privacy,
      mode: mode as AuctionModel['mode'],
      depositCents: mode === 'deposit' ? Number(depositCents) : 0,
      ...{ startUs, endUs, staggerSeconds: Number(staggerSeconds), premium: String(premium) },
      ...{ lots: [], registrations: new Map(), pausedUs: 0, pausedSinceUs: null },
      world: newWorld({
        auction: {
          ...{ type: 'timed', currency: 'usd', increments: null, confirmFactor: Number(confirmFactor) },
          softClose: {
            windowSeconds: Number(windowSeconds),
            extensionSeconds: Number(extensionSeconds),
            maxExtensions: maxExtensions === null ? null : Number(maxExtensions),
          },
          ownerUserIds: [...team.belonged].map((one) => world.person(one)?.userId ?? 0),
          registration: { mode: mode as AuctionModel['mode'], requireVerified: false, bidLimitCents: null },
        },
        ...{ lots: [], bidders: {} },
      }),
    };
    return {
      sent,
      expected: {
        status: 201,
        data: {
          ...{ title, status: publishes ? (startUs <= world.nowUs ? 'active' : 'scheduled') : 'draft' },
          ...{ start_time: iso(startUs), end_time: iso(endUs), privacy_setting: privacy, team_id: team.id },
        },
      },
      learn({ id, slug }) {
        Object.assign(auction, { id, slug });
        world.auctions.push(auction);
        if (publishes) publish(auction, world.nowUs);
      },
      touched: [auction.name],
    };
  },
};
