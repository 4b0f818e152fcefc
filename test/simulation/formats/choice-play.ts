/**
 * Lots of a saleroom that are offered together (rule 25) in a run: one price for all of them, a hammer that sells those
 * which were chosen with it, an online winner who has some time to choose, and lots that take over what they were sold
 * for on another one.
 */
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { CHOICE_SECONDS, ChoiceModel, INCREMENT } from './choice-model.ts';
import { NO_SOFT_CLOSE, type Played } from './played-format.ts';
import { saleReferee } from './sale-referee.ts';
import { SALEROOM } from './saleroom-play.ts';

export const CHOICE: Played = {
  name: 'choice',
  draw: (_, { closeGroups: _groups, ...record }, lots) => {
    const lotIds = lots.map(({ lotId }) => lotId);
    const group = { name: 'all', lotIds, numbers: lots.map(({ lotNumber }) => lotNumber) };
    return {
      lots: lots.map(({ units: _units, ...lot }) => ({ ...lot, buyNowCents: null, reserveCents: null })),
      record: {
        ...record,
        ...{ type: 'simulcast', staggerSeconds: 0, confirmFactor: 0, softClose: NO_SOFT_CLOSE },
        increments: [{ fromCents: 0, incrementCents: INCREMENT }],
        ...{ choiceGroups: [group], choiceSeconds: CHOICE_SECONDS },
      },
      lastEndUs: record.endsAtUs,
    };
  },
  wish: SALEROOM.wish,
  referee: ({ lots }, record) => {
    const group = new ChoiceModel(lots, record);
    return saleReferee(lots, record, () => group);
  },
};

/** The lot on which the bidding is of those that are offered with another one, as the journal has them; null: none. */
export function carrierOf(
  record: AuctionRecord,
  states: ReadonlyMap<number, LotState>,
  lotId: number,
): LotState | null {
  const group = record.choiceGroups?.find(({ lotIds }) => lotIds.includes(lotId));
  const all = (group?.lotIds ?? [lotId]).flatMap((id) => states.get(id) ?? []);
  return all.find(({ status }) => status === 'scheduled' || status === 'active') ?? null;
}
