/**
 * Rule 25 on worked cases: lots that are offered together, with every figure reckoned by hand from the rule's sentences.
 * The first is the example of docs/rules.md.
 */
import { expect } from 'chai';
import type { LotUnits } from '../../../../engine/lot/units.ts';
import { aSale } from '../../../contracts/choices.contract.ts';
import { type End, OPEN, tractors } from '../../../support/tractors.ts';

describe('lots that are offered together (rule 25)', () => {
  it('are sold by the example of the rule', async () => {
    const at = await tractors(4);
    expect(await at.floor(1, 88, 12_000)).to.equal('leading');
    expect(await at.floor(3, 7, 12_249)).to.equal('bid_too_low');
    expect(await at.floor(3, 7, 12_500)).to.equal('leading');
    expect(await at.hammer(2, 7, 12_500, [2, 4])).to.equal('done');
    await at.later(1);
    const two: End = ['sold', 1_250_000, 7];
    expect(await at.ends()).to.deep.equal([OPEN, two, OPEN, two]);
    expect(await at.online(2, 5, 13_000)).to.equal('lot_closed');
    expect(await at.online(3, 5, 9_999)).to.equal('bid_too_low');
    expect(await at.online(3, 5, 10_000)).to.equal('leading');
    expect(await at.hammer(3, 5, 10_000)).to.equal('done');
    expect(await at.online(1, 6, 20_000)).to.equal('choice_pending');
    await at.later(59);
    expect(await at.ends()).to.deep.equal([OPEN, two, OPEN, two]);
    await at.later(1);
    expect(await at.ends()).to.deep.equal([['sold', 1_000_000, 5], two, OPEN, two]);
    expect(await at.choose(3, 5, [3])).to.equal('choice_over');
  });

  it('are chosen by the winner alone, any number of them, in time', async () => {
    const at = await tractors(3);
    expect(await at.choose(1, 5, [1])).to.equal('choice_over');
    await at.online(2, 5, 10_000);
    await at.hammer(1, 5, 10_000);
    expect(await at.choose(1, 6, [1])).to.equal('choice_of_another');
    await at.later(59);
    expect(await at.choose(1, 5, [2, 3])).to.equal('done');
    await at.later(0);
    const bought: End = ['sold', 1_000_000, 5];
    expect(await at.ends()).to.deep.equal([OPEN, bought, bought]);
    expect(await at.choose(1, 5, [1])).to.equal('choice_over');
    // What is left begins anew, and is passed by itself.
    expect(await at.online(1, 6, 10_000)).to.equal('leading');
    expect(await at.send(1, aSale(6, 0, { result: 'passed', hammerCents: null, winner: null }))).to.equal(
      'done',
    );
    expect((await at.ends())[0]).to.deep.equal(['passed', null, null]);
  });

  it('give the time back that a pause took', async () => {
    const at = await tractors(2);
    await at.online(1, 5, 10_000);
    await at.hammer(1, 5, 10_000);
    await at.later(50);
    await at.pause();
    await at.later(300);
    await at.resume();
    await at.later(9);
    expect(await at.ends()).to.deep.equal([OPEN, OPEN]);
    await at.later(1);
    expect(await at.ends()).to.deep.equal([['sold', 1_000_000, 5], OPEN]);
  });

  it('are not sold by the bidding on another while their own hammer may be taken back', async () => {
    const at = await tractors(3);
    const pass = (number: number) => {
      const passed = { result: 'passed', hammerCents: null, winner: null, heldUs: 5_000_000 } as const;
      return at.send(number, aSale(6, 0, passed));
    };
    await at.floor(1, 88, 12_000);
    expect(await pass(2)).to.equal('done');
    expect(await at.floor(2, 7, 13_000)).to.equal('lot_closed');
    expect(await at.hammer(1, 88, 12_000, [1, 2])).to.equal('lot_already_sold');
    expect(await at.hammer(2, 88, 12_000)).to.equal('lot_already_sold');
    expect(await at.send(2, { type: 'lift_hammer' })).to.equal('done');
    expect(await pass(3)).to.equal('done');
    expect(await at.hammer(1, 88, 12_000, [1, 2])).to.equal('done');
    await at.later(5);
    const bought: End = ['sold', 1_200_000, 88];
    expect(await at.ends()).to.deep.equal([bought, bought, ['passed', null, null]]);
  });

  it('wait for the hammer on the lot with the lowest number', async () => {
    const at = await tractors(2);
    const passed = { result: 'passed', hammerCents: null, winner: null, heldUs: 5_000_000 } as const;
    expect(await at.send(1, aSale(6, 0, passed))).to.equal('done');
    expect(await at.hammer(2, 88, 12_000)).to.equal('lot_already_sold');
    await at.later(5);
    expect(await at.hammer(2, 88, 12_000)).to.equal('done');
    await at.later(0);
    expect(await at.ends()).to.deep.equal([
      ['passed', null, null],
      ['sold', 1_200_000, 88],
    ]);
  });

  it('cost by the unit what each one’s own units come to', async () => {
    const acres = (count: number): LotUnits => ({ count, name: 'acre', isPriced: true });
    // 38.5 and 40.0001 acres at 10,000.00: 385,000.00 and 400,001.00.
    const at = await tractors(3, [acres(385_000), acres(400_001), acres(10_000)]);
    await at.floor(3, 88, 10_000);
    expect(await at.hammer(3, 88, 10_000, [1, 2])).to.equal('done');
    await at.later(0);
    expect(await at.ends()).to.deep.equal([['sold', 38_500_000, 88], ['sold', 40_000_100, 88], OPEN]);
  });
});
