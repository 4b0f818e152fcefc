/**
 * Lots that are offered together (rule 25), as they are shown: each with the price that all have, which is that of the
 * one that carries the bidding. Read from the journal for every answer, as all live fields are.
 */
import type { Journal } from '../../engine/actor/journal.ts';
import {
  carrierOf,
  choiceGroupOf,
  isOffered,
  isToBeHad,
  readChoiceNote,
} from '../../engine/auction/choice-groups.ts';
import { itemAt } from '../../engine/first-of.ts';
import { groupOffered, shownWith } from '../../engine/formats/formats.ts';
import type { LotState } from '../../engine/lot/state.ts';

export type OfferJournal = Pick<Journal, 'load' | 'loadRecord' | 'loadNote'>;

/** What is still offered of a group. */
export interface GroupOffer {
  readonly name: string;
  /** The lot that carries the bidding. */
  readonly carrierId: number;
  /** Those that are still offered, by their numbers. */
  readonly lots: readonly { readonly lotId: number; readonly number: number }[];
}

/** Null: the lot is offered alone, or not any more. Throws the journal's faults. */
export async function readOffer(
  journal: OfferJournal,
  { auctionId, lotId }: { readonly auctionId: number; readonly lotId: number },
): Promise<GroupOffer | null> {
  const record = await journal.loadRecord(auctionId);
  const group = choiceGroupOf(record?.choiceGroups, lotId);
  if (group === null) return null;
  const note = readChoiceNote(await journal.loadNote(auctionId, group.name));
  const carrierId = isOffered(note, lotId) ? carrierOf(group, note) : null;
  if (carrierId === null) return null;
  const lots = group.lotIds.flatMap((id, at) =>
    isToBeHad(note, id) ? [{ lotId: id, number: itemAt(group.numbers, at) }] : [],
  );
  return { name: group.name, carrierId, lots };
}

/** The state as it is shown: with the bidding of its group, where another lot carries that. */
export async function withGroupsBidding(journal: OfferJournal, state: LotState): Promise<LotState> {
  if (!groupOffered(state)) return state;
  const offer = await readOffer(journal, state);
  if (offer === null) return state;
  const { carrierId } = offer;
  const carrier = carrierId === state.lotId ? state : await journal.load(state.auctionId, carrierId);
  return carrier === null ? state : shownWith(state, carrier);
}

/** The lot whose journal has the bids on this one: another one, where that carries the bidding of its group. */
export async function carrierOfBids(journal: OfferJournal, state: LotState): Promise<number> {
  const offer = groupOffered(state) ? await readOffer(journal, state) : null;
  return offer?.carrierId ?? state.lotId;
}
