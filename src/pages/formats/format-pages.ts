/** What lots of each format have of their own on their page; the first format's is the page itself. */
export interface FormatPage {
  /** The template of price, clock and form. */
  readonly desk: string;
  readonly module: string;
  /** Whether its bids rise by the auction's increments, up to a maximum. */
  readonly rises: boolean;
}

const PAGES: Readonly<Record<string, FormatPage>> = {
  tender: { desk: '/formats/tender/desk', module: 'tender-lot.js', rises: false },
  falling: { desk: '/formats/falling/desk', module: 'falling-lot.js', rises: false },
  parcels: { desk: '/formats/parcels/desk', module: 'tract-lot.js', rises: true },
};

export function formatPage(format: string): FormatPage | null {
  return PAGES[format] ?? null;
}

/** How an auction is sold, in words, where it is not as most are; and whether its bids rise. */
export function soldBy(format: string): { readonly label: string | null; readonly rises: boolean } {
  const label = format === 'timed' ? null : (FORMAT_LABELS[format] ?? format);
  return { label, rises: formatPage(format)?.rises ?? true };
}

/** How sellers choose between the formats. */
export const FORMAT_LABELS: Readonly<Record<string, string>> = {
  timed: 'Rising bids, until the clock runs out',
  tender: 'Tender: sealed bids, opened at the end',
  parcels: 'Parcels: bids on any combination of the lots, which close together',
  falling: 'A falling clock: the price comes down, and who bids first buys',
};

/** What the seller's forms call the settings of a tender. */
export const TENDER_LABELS: Readonly<Record<string, string>> = {
  tender_may_lower: 'A new bid may be lower than the one before',
  tender_may_withdraw: 'Bids may be withdrawn until the end',
  tender_pays: 'The winner pays',
  tender_final_round: 'Final round for the highest',
  tender_final_seconds: 'The final round takes',
};

/** What they call the settings of a sale of parcels. */
export const PARCELS_LABELS: Readonly<Record<string, string>> = {
  whole_reserve: 'Reserve of the whole',
  sell_parts: 'Sell parts where the whole does not reach its reserve',
  combinations_from: 'Bids on several lots from',
};

export const TENDER_CHOICES = {
  tender_pays: [
    { value: '', label: 'Not said: what they bid' },
    { value: 'own', label: 'What they bid' },
    { value: 'second', label: 'The second highest bid, or the reserve where that is more' },
  ],
};
