/** The tables of states and moves: what may be requested, what SQL takes from them, and the page that shows them. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { AUCTION_STATUSES } from '../../../src/shared/statuses/auction-statuses.ts';
import { LOT_STATUSES } from '../../../src/shared/statuses/lot-statuses.ts';

describe('tables of states and moves', () => {
  it('name what may be requested by hand, and nothing from a word that is no state', () => {
    expect(AUCTION_STATUSES.byHand('active')).to.deep.equal(['paused', 'cancelled']);
    expect(AUCTION_STATUSES.byHand('ended')).to.deep.equal([]);
    expect(LOT_STATUSES.byHand('draft')).to.deep.equal(['scheduled']);
    expect(LOT_STATUSES.byHand('active')).to.deep.equal(['withdrawn']);
    expect(LOT_STATUSES.byHand('__proto__')).to.deep.equal([]);
  });

  it('give SQL the states that a move starts from', () => {
    expect(AUCTION_STATUSES.sourcesSql('ended', 'lots')).to.equal("('scheduled', 'active', 'paused')");
    expect(LOT_STATUSES.sourcesSql('withdrawn', 'auction')).to.equal("('draft', 'scheduled', 'active')");
    expect(() => LOT_STATUSES.sourcesSql('draft', 'hand')).to.throw('moves nothing to draft');
  });

  it('are as docs/states.md shows them', () => {
    const page = readFileSync(new URL('../../../docs/states.md', import.meta.url), 'utf8');
    for (const table of [AUCTION_STATUSES, LOT_STATUSES])
      expect(page).to.include(`\n${table.toMarkdown()}\n`);
  });
});
