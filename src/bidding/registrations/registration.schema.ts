/** What registrations look like on the wire, and what a seller may decide about one. */
import { Type } from '@sinclair/typebox';
import { BIDDER_STATUSES } from '../../../engine/auction/record.ts';
import {
  Amount,
  describedId,
  Email,
  nullable,
  oneOf,
  orNull,
  Time,
  text,
} from '../../shared/fields.schema.ts';
import { idOrSlug } from '../../shared/id-or-slug.ts';
import { DECISIONS } from '../../shared/statuses/registration-statuses.ts';

export const AuctionRef = Type.Object({ auction: idOrSlug('The id or the slug of the auction.') });
export const SellerAuctionParams = Type.Object({ id: describedId('The id of the auction.') });
export const RegistrationParams = Type.Object({
  id: describedId('The id of the auction.'),
  registration: describedId('The id of the registration.'),
});

export const StatusFilter = Type.Optional(oneOf(BIDDER_STATUSES));

const fields = {
  id: Type.Integer(),
  auction_id: Type.Integer(),
  status: oneOf(BIDDER_STATUSES),
  paddle_number: orNull(Type.String()),
  alias: orNull(Type.String({ description: 'What the public sees of the bidder in this auction.' })),
  bid_limit: orNull(
    Type.String({ description: 'The bidder’s own limit; without one, the auction’s applies.' }),
  ),
  reason: orNull(Type.String()),
  floor_paddle: Type.Boolean({ description: 'The bidder lets the saleroom floor bid under their paddle.' }),
  created_at: Time,
  decided_at: orNull(Time),
  deposit_invoice_number: orNull(Type.String({ description: 'The deposit to be paid while `deposit_due`.' })),
  conditions_version: orNull(
    Type.Integer({ description: 'The version of the conditions of sale that the bidder accepted last.' }),
  ),
  conditions_accepted_at: orNull(Time),
  deposit_waived: Type.Boolean({ description: 'The seller has waived the deposit for this bidder.' }),
};

/** As its bidder sees it. */
export const OwnRegistration = Type.Object(
  {
    ...fields,
  },
  { $id: 'OwnRegistration' },
);

/** As the seller sees it. */
export const SellersRegistration = Type.Object(
  {
    ...fields,
    email: orNull(Type.String({ description: 'The address that was invited.' })),
    user: orNull(
      Type.Object(
        { id: Type.Integer(), name: Type.String(), verified: Type.Boolean() },
        {
          description: 'Null for an invited address whose owner has neither registered nor bid here yet.',
        },
      ),
    ),
  },
  { $id: 'Registration' },
);

const WaiveDeposit = Type.Optional(
  Type.Boolean({
    description:
      'In an auction with a deposit: let them bid without one. An approval alone does not replace the deposit.',
  }),
);

export const InvitationBody = Type.Object(
  { email: Email, bid_limit: Type.Optional(nullable(Amount)), waive_deposit: WaiveDeposit },
  { $id: 'BidderInvitation', examples: [{ email: 'ann@example.com', bid_limit: '5000.00' }] },
);

/** Everything may be left out: then it is a request for the web alone. */
export const RegistrationRequestBody = Type.Object(
  {
    floor_paddle: Type.Optional(
      Type.Boolean({
        description:
          'Whether the saleroom floor may bid under the caller’s paddle in this auction; without it, only up to what ' +
          'they bid on the lot themselves.',
      }),
    ),
    conditions_version: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'The version of the auction’s `conditions` that the caller has read and accepts; needed where it has any.',
      }),
    ),
  },
  {
    $id: 'RegistrationRequest',
    additionalProperties: false,
    examples: [{ floor_paddle: true, conditions_version: 1 }],
  },
);

export const DecisionBody = Type.Object(
  {
    status: Type.Optional(oneOf(DECISIONS)),
    bid_limit: Type.Optional(nullable(Amount)),
    reason: Type.Optional(nullable(text(1_000))),
    waive_deposit: WaiveDeposit,
    paddle_number: Type.Optional(
      Type.String({
        pattern: '^[0-9]{1,6}$',
        description:
          'With `approved`: the paddle that the bidder holds on the floor; its calls count as theirs.',
        'x-message': 'must be a number of at most six digits',
      }),
    ),
  },
  {
    $id: 'RegistrationDecision',
    minProperties: 1,
    examples: [{ status: 'approved', bid_limit: '5000.00' }],
  },
);
