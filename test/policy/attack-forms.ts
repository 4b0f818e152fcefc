/** Forms whose fields no schema names: tables with ticks, buttons with what they are about. */
import type { World } from './attack-world.ts';

interface FormAttack {
  readonly real: Readonly<Record<string, string>>;
  readonly twin: Readonly<Record<string, string>>;
  /** Of the form's address. */
  readonly query?: readonly [real: string, twin: string];
}

type Fields = (value: string) => Readonly<Record<string, string>>;

/** What such a form sends about the victim's things, and the same about what is nowhere. */
export function formAttacks(
  { victim, rival }: World,
  operationId: string,
  nowhere: (value: string) => string,
): FormAttack[] {
  const lots = victim.lots.map(String);
  const auctions = victim.auctions.map(({ id }) => String(id));
  const item = victim.valueOf('/seller/inventory/', 'id');
  const invoice = victim.valueOf('invoices', 'number');
  const own = String(rival.auctions[1]?.id);
  const each = (values: readonly string[], ...forms: readonly Fields[]) =>
    forms.flatMap((fields) => values.map((value) => ({ real: fields(value), twin: fields(nowhere(value)) })));
  const ticked =
    (kind: string, more: Readonly<Record<string, string>>): Fields =>
    (id) => ({ ...more, [`${kind}-${id}`]: 'yes' });
  const lot = { title: 'A lot', starting_bid: '10.00' };
  const forms: Readonly<Record<string, () => FormAttack[]>> = {
    changeSellerLotsOnPage: () =>
      each(
        lots,
        ...['withdrawn', 'scheduled', 'delete'].map((action) => ticked('lot', { action })),
        ticked('lot', { action: 'title', value: 'Mine' }),
      ),
    changeSellerAuctionsOnPage: () =>
      each(auctions, ...['cancelled', 'scheduled', 'delete'].map((action) => ticked('auction', { action }))),
    markCollectedOnPage: () => each(lots, ticked('lot', {})),
    convertInventoryToLotsOnPage: () => [
      ...each([item], (id) => ({ auction_id: own, [`item-${id}`]: 'yes', [`bid-${id}`]: '10.00' })),
      ...each(auctions, (auction_id) => ({ auction_id, 'item-1': 'yes', 'bid-1': '10.00' })),
    ],
    createConsignorLinkOnPage: () =>
      each(auctions, (auction) => ({ name: 'Mine', consignor: '', auction, numbers: '1' })),
    decideAfterSaleOnPage: () => [
      ...each(
        lots,
        ...['accept', 'offer'].map(
          (what): Fields =>
            (id) => ({ action: `${what}-${id}` }),
        ),
        (id) => ({ action: `relist-${id}`, into: own }),
      ),
      ...each(auctions, (into) => ({ action: `relist-${rival.lots[0]}`, into })),
      ...each([invoice], (number) => ({ action: `remind-${number}` })),
    ],
    createSellerLotOnPage: () => each(auctions, (auction_id) => ({ ...lot, auction_id })),
    changeSellerLotOnPage: () => each(auctions, (auction_id) => ({ auction_id })),
    createSellerCampaignOnPage: () =>
      each(lots, (id) => ({
        ...{ name: 'Mine', placement: 'search', pricing_model: 'flat', budget_cents: '10.00' },
        ...{ start_date: '2030-01-01', end_date: '2030-01-02', lot_ids: id },
      })),
    changeSellerCampaignOnPage: () => each(lots, (id) => ({ lot_ids: id })),
    leaveBidsOnPage: () => each(lots, (id) => ({ absentee: `7, ${id}, 900`, phones: '' })),
    createBidGroupOnPage: () =>
      victim.auctions.flatMap(({ slug }) =>
        lots.map((id) => ({
          real: { wanted: '1', [`max_${id}`]: '100.00', [`wish_${id}`]: '1' },
          twin: { wanted: '1', [`max_${id}`]: '100.00', [`wish_${id}`]: '1' },
          query: [`?auction=${slug}`, `?auction=${nowhere(slug)}`] as const,
        })),
      ),
  };
  return forms[operationId]?.() ?? [];
}
