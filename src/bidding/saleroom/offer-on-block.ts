/** What the clerk sees of lots that are offered together (rule 25), and of the time that the winner has to choose. */
import type { Knex } from 'knex';
import type { Journal } from '../../../engine/actor/journal.ts';
import { choosing } from '../../../engine/formats/formats.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { formatCents } from '../../../engine/money.ts';
import type { GroupOffer } from '../../shared/group-offers.ts';
import { type Translations, titlesSql } from '../../shared/translations.ts';

interface OfferedLot {
  readonly number: number;
  readonly title: string;
  readonly translations: Translations;
}

export interface OfferOnBlock {
  readonly name: string;
  readonly lots: readonly OfferedLot[];
  /** The hammer has fallen, and its winner is choosing; null: nobody is. */
  readonly choosing: {
    readonly paddle: string;
    readonly price: string;
    readonly leftMs: number;
    /** What was chosen with the hammer; null: nothing. */
    readonly numbers: readonly number[] | null;
  } | null;
}

interface OfferParts {
  readonly knex: Knex;
  readonly journal: Pick<Journal, 'nowUs'>;
}

/** `carrier` is the lot that carries the bidding. */
export async function offerOnBlock(
  { knex, journal }: OfferParts,
  { name, lots }: GroupOffer,
  carrier: LotState,
): Promise<OfferOnBlock> {
  const rows: (Omit<OfferedLot, 'number'> & { id: number })[] = await knex('lots')
    .whereIn(
      'id',
      lots.map(({ lotId }) => lotId),
    )
    .select(
      ...['id', 'title'],
      // SQL: the titles of what else is said.
      knex.raw(`${titlesSql('lots')} AS translations`),
    );
  const named = new Map(rows.map(({ id, ...words }) => [id, words]));
  const now = choosing(carrier);
  return {
    name,
    lots: lots.map(({ lotId, number }) => ({
      number,
      ...(named.get(lotId) ?? { title: '', translations: {} }),
    })),
    choosing: now && {
      paddle: now.paddle,
      price: formatCents(now.hammerCents, carrier.decimals),
      leftMs: Math.max(0, Math.ceil((now.untilUs - journal.nowUs()) / 1_000)),
      numbers: now.numbers,
    },
  };
}
