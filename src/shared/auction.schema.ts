/**
 * What a seller may say of an auction: the fields of the write endpoints and of the import file. `auction-columns.ts`
 * checks what no schema can state and turns them into columns.
 */
import { type Static, Type } from '@sinclair/typebox';
import { AUCTION_TYPES } from '../../engine/auction/record.ts';
import { FORMAT_NAMES } from '../../engine/formats/formats.ts';
import { auctionFormatInputs } from './auction-format-fields.ts';
import {
  Amount,
  Currency,
  line,
  Moment,
  nullable,
  oneOf,
  Percentage,
  TaxPercentage,
  text,
} from './fields.schema.ts';
import { saleTermFields } from './sale-terms.ts';
import { AuctionTranslationsInput, OriginalLanguageInput } from './translations.ts';

const seconds = (maximum: number) => Type.Integer({ minimum: 0, maximum });

const SoftCloseInput = Type.Object({
  window_seconds: Type.Optional(seconds(86_400)),
  extension_seconds: Type.Optional(seconds(86_400)),
  max_extensions: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 1_000_000 }))),
});

export const AuctionTypeSchema = oneOf(AUCTION_TYPES);
export const FormatSchema = oneOf(FORMAT_NAMES, {
  description: 'How its lots are sold; fixed once it is published.',
});
export const PRIVACIES = ['public', 'unlisted', 'private'] as const;
export const PrivacySchema = oneOf(PRIVACIES);
export const RegistrationModeSchema = oneOf(['open', 'approval', 'deposit']);

const RegistrationInput = Type.Object({
  mode: Type.Optional(RegistrationModeSchema),
  deposit_amount: Type.Optional(nullable(Amount)),
  bid_limit: Type.Optional(nullable(Amount)),
  require_verified: Type.Optional(Type.Boolean()),
});

/** All but the owner, the category and the status, which requests and import files name in ways of their own. */
export const auctionFields = {
  title: line(300),
  description: Type.Optional(nullable(text(20_000))),
  language: Type.Optional(OriginalLanguageInput),
  translations: Type.Optional(AuctionTranslationsInput),
  type: Type.Optional(AuctionTypeSchema),
  format: Type.Optional(FormatSchema),
  privacy_setting: Type.Optional(PrivacySchema),
  buyer_premium_percentage: Type.Optional(Percentage),
  sales_tax_percentage: Type.Optional(TaxPercentage),
  start_time: Moment,
  end_time: Moment,
  timezone: Type.Optional(line(64)),
  currency: Type.Optional(Currency),
  increments: Type.Optional(
    nullable(Type.Array(Type.Object({ from: Amount, increment: Amount }), { minItems: 1, maxItems: 100 })),
  ),
  soft_close: Type.Optional(nullable(SoftCloseInput)),
  stagger_seconds: Type.Optional(seconds(86_400)),
  confirm_factor: Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000 })),
  ...auctionFormatInputs,
  registration: Type.Optional(RegistrationInput),
  simulcast_platforms: Type.Optional(
    Type.Array(line(60), {
      maxItems: 20,
      uniqueItems: true,
      description: 'Slugs of the simulcast platforms whose events count in this auction; none by default.',
    }),
  ),
  ...saleTermFields,
  stream_url: Type.Optional(
    nullable(
      Type.String({
        ...line(2_000),
        description:
          'Picture and sound of the saleroom, shown in a frame on the auction’s page: an https address at one of the ' +
          'hosts that the operator allows.',
      }),
    ),
  ),
};

const AuctionInputSchema = Type.Object(auctionFields);
export type AuctionInput = Static<typeof AuctionInputSchema>;
