/** Lots that were chosen, checked over the journals of all of them: nothing in a sale as it was, and what is forged. */
import { expect } from 'chai';
import type { EnglishEvent } from '../../../../engine/formats/english/english-events.ts';
import { decodeEvents, encodeEvents } from '../../../../engine/formats/english/event-codec.ts';
import { ChoiceAudit } from '../../../../src/bidding/journal/choice-audit.ts';
import { tractors } from '../../../support/tractors.ts';

describe('the audit of lots that were chosen', () => {
  let wrongIn: (forge?: (event: EnglishEvent) => EnglishEvent) => string | null;

  before(async () => {
    const sale = await tractors(3, [
      { count: 385_000, name: 'acre', isPriced: true },
      { count: 10_000, name: 'acre', isPriced: true },
      { count: 20_000, name: 'acre', isPriced: true },
    ]);
    await sale.floor(1, 7, 10_000);
    await sale.hammer(1, 7, 10_000, [2]);
    await sale.floor(3, 8, 12_000);
    await sale.hammer(1, 8, 12_000, [1, 3]);
    await sale.later(1);
    const journals = await Promise.all(sale.lotIds.map((lotId) => sale.journalOf(lotId)));
    wrongIn = (forge = (event) => event) => {
      const audit = new ChoiceAudit();
      for (const { state, entries } of journals)
        for (const entry of entries) {
          const privateText = encodeEvents(decodeEvents(entry.privateText).map(forge));
          if (state !== null) audit.take({ ...entry, privateText }, state, Number.POSITIVE_INFINITY);
        }
      try {
        audit.check();
        return null;
      } catch (difference) {
        return difference instanceof Error ? difference.message : String(difference);
      }
    };
  });

  it('finds nothing in what was chosen', () => {
    expect(wrongIn()).to.equal(null);
  });

  it('finds another price, another buyer, and a lot that nobody has chosen, or two have', () => {
    const forged = (change: object) =>
      wrongIn((event) => (event.type === 'choice_made' ? { ...event, ...change } : event));
    const nobody = /is sold as chosen by the bidding on lot [0-9]+, where nobody has chosen it so/;
    expect(forged({ hammerCents: 1 })).to.match(nobody);
    expect(forged({ lots: [] })).to.match(nobody);
    expect(
      wrongIn((event) =>
        event.type === 'choice_made' ? { ...event, winner: { ...event.winner, key: 'u:9' } } : event,
      ),
    ).to.match(nobody);
    let lots: Extract<EnglishEvent, { type: 'choice_made' }>['lots'] = [];
    const twice = wrongIn((event) => {
      if (event.type !== 'choice_made') return event;
      lots = [...lots, ...event.lots];
      return { ...event, lots };
    });
    expect(twice).to.match(/is chosen twice/);
  });
});
