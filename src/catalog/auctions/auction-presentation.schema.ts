/** The shapes of auctions: in lists and in full. */

import { Type } from '@sinclair/typebox';
import { shownFormatFields } from '../../shared/auction-format-fields.ts';
import { orNull, Time } from '../../shared/fields.schema.ts';
import { Conditions, shownSaleTermFields } from '../../shared/sale-terms.ts';
import { AuctionTranslations, OriginalLanguage, TitleTranslations } from '../../shared/translations.ts';
import { CategoryBrief } from '../categories/category-presentation.ts';
import { MediaItem } from '../media-presentation.ts';
import { SaleChange } from './sale-history.ts';

const item = {
  id: Type.Integer(),
  title: Type.String(),
  language: OriginalLanguage,
  translations: TitleTranslations,
  slug: Type.String({ description: 'Usable in place of the id in paths.' }),
  status: Type.String(),
  privacy_setting: Type.String(),
  type: Type.String(),
  format: Type.String({ description: 'How its lots are sold.' }),
  currency: Type.String(),
  buyer_premium_percentage: Type.String(),
  start_time: Time,
  end_time: Time,
  closes_at: orNull(Time, {
    description: 'The last open lot’s end; null where none is open or ends by the clock.',
  }),
  open_lots: Type.Integer({ description: 'Lots that have not closed.' }),
  formatted_start_time: Type.String({ description: '`Mon DD, YYYY hh:mm AM/PM`, in UTC.' }),
  formatted_end_time: Type.String({ description: '`Mon DD, YYYY hh:mm AM/PM`, in UTC.' }),
  category: orNull(CategoryBrief),
};

export const AuctionItem = Type.Object(item, { $id: 'AuctionItem' });

/** Who owns an auction. */
export const Auctionable = Type.Object({
  id: Type.Integer(),
  type: Type.Union([Type.Literal('team'), Type.Literal('user')]),
  name: Type.String(),
  slug: Type.String(),
});

export const AuctionDetail = Type.Object(
  {
    ...item,
    sales_tax_percentage: Type.String({ description: 'On hammer and premium; two to four decimals.' }),
    description: orNull(Type.String()),
    translations: AuctionTranslations,
    timezone: Type.String(),
    lots_count: Type.Integer({ description: 'Active lots.' }),
    stagger_seconds: Type.Integer(),
    soft_close: orNull(
      Type.Object({
        window_seconds: Type.Integer(),
        extension_seconds: Type.Integer(),
        max_extensions: orNull(Type.Integer()),
      }),
    ),
    registration: Type.Object({
      mode: Type.String(),
      deposit_amount: orNull(Type.String()),
      require_verified: Type.Boolean(),
    }),
    conditions: orNull(Conditions, { description: 'The conditions of sale as they are now.' }),
    ...shownFormatFields,
    ...shownSaleTermFields,
    auctionable: Auctionable,
    history: Type.Array(SaleChange, {
      description: 'Changes of its terms while an open lot had bids, the newest first, at most 100.',
    }),
    media: Type.Array(MediaItem),
  },
  { $id: 'AuctionDetail' },
);
