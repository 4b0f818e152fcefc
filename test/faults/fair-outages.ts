/**
 * Whether the outages of a fault run were fair (rule 16): a lot whose end came while Redis was unavailable longer than
 * two seconds was open again for its window afterwards, and a shorter absence moved no end.
 */
import type { JournalItem, LotHistory } from '../history/terms.ts';

export interface Outage {
  readonly fromUs: number;
  readonly toUs: number;
}

/** Longer than the rule's two seconds by what the run does not know: when it stopped, and when it answered again. */
const SURELY_US = 2_300_000;
/** A heartbeat twice a second is never silent for longer than this plus the outage itself. */
const SURELY_NOT_US = 1_300_000;
const SLACK_US = 300_000;

export function unfairOutages(histories: readonly LotHistory[], outages: readonly Outage[]): string[] {
  const isShort = outages.every(({ fromUs, toUs }) => toUs - fromUs < SURELY_NOT_US);
  return histories.flatMap((lot) => [
    ...outages.filter(({ fromUs, toUs }) => toUs - fromUs > SURELY_US).flatMap((one) => missed(lot, one)),
    ...(isShort && lot.items.some(isMove)
      ? [`lot ${lot.lotId} stayed open though nobody missed anything`]
      : []),
  ]);
}

const isMove = ({ kind }: JournalItem) => kind === 'moved';

function missed(lot: LotHistory, { fromUs, toUs }: Outage): string[] {
  const endsAtUs = endAt(lot, fromUs);
  const close = lot.items.at(-1);
  const isHit = endsAtUs > fromUs + SLACK_US && endsAtUs < toUs - SLACK_US;
  if (!isHit || close?.kind !== 'closed' || close.atUs < fromUs) return [];
  const windowUs = lot.softClose?.windowUs ?? 0;
  if (lot.items.some(isMove) && close.atUs >= toUs - SLACK_US + windowUs) return [];
  return [`lot ${lot.lotId} was closed at ${close.atUs}, though Redis was unavailable until ${toUs}`];
}

/** The end in force at a moment. */
export function endAt({ items, endsAtUs }: LotHistory, atUs: number): number {
  let end = endsAtUs;
  for (const item of items) {
    if (item.atUs > atUs) break;
    if (item.kind === 'moved') end = item.endsAtUs;
    if (item.kind === 'bid' && item.extendedToUs !== null) end = item.extendedToUs;
  }
  return end;
}
