/** Which lot a photograph is of, by the name of its file. */
import { expect } from 'chai';
import { inOrder, type MatchedLot, photoMatcher } from '../../../src/media/photo-matching.ts';

const lot = (id: number, title: string, more: Partial<MatchedLot> = {}): MatchedLot => ({
  ...{ id, lot_number: id, catalog_number: null, title, sku: null, photos: [] },
  ...more,
});

const LOTS = [
  lot(1, 'John Deere 7200 planter'),
  lot(2, 'Plough', { sku: 'PL-77' }),
  lot(12, 'Öl on canvas, “Évening”'),
  lot(13, 'Anvil', { catalog_number: '12A' }),
  lot(14, 'Chair', { catalog_number: '13' }),
  lot(15, 'Chair', { catalog_number: '14' }),
  lot(16, 'Named', { catalog_number: '15', photos: ['DSC_0001.JPG', 'front view.jpg'] }),
];

describe('a photograph’s file', () => {
  const matchOf = photoMatcher(LOTS);
  const found = (name: string) => {
    const match = matchOf(name);
    return typeof match === 'object' && 'lotId' in match ? match.lotId : match;
  };

  for (const [name, expected] of [
    ['1.jpg', 1],
    ['0012.png', 12],
    ['12-2.jpeg', 12],
    ['12_b.jpg', 12],
    ['12b.jpg', 12],
    ['12A.jpg', 13],
    ['12a (3).jpg', 13],
    ['Lot 2.jpg', 2],
    ['lot-002-1.webp', 2],
    ['Los 13 Rückseite.jpg', 14],
    ['folder/sub/2.jpg', 2],
    ['..\\..\\2.jpg', 2],
    ['PL-77.jpg', 2],
    ['pl 77 2.jpg', 2],
    ['plough.jpg', 2],
    ['Plough (2).jpg', 2],
    ['ol on canvas evening 1.jpg', 12],
    ['john deere 7200 planter 4.jpg', 1],
    ['DSC_0001.jpg', 16],
    ['FRONT VIEW.JPG', 16],
    ['front view', 16],
    ['IMG_1234.jpg', 'nothing'],
    ['999.jpg', 'nothing'],
    ['2026-11-27 sale.jpg', 'nothing'],
    ['plough share.jpg', 'nothing'],
    ['.jpg', 'nothing'],
    ['', 'nothing'],
  ] as const)
    it(`called ${JSON.stringify(name)} is of ${expected}`, () => {
      expect(found(name)).to.equal(expected);
    });

  it('that several lots could have is nobody’s', () => {
    expect(found('chair.jpg')).to.deep.equal({ several: 2 });
  });

  it('of a number that several lots have is nobody’s', () => {
    const match = photoMatcher([
      lot(1, 'Chair', { catalog_number: '7' }),
      lot(2, 'Table', { catalog_number: '7' }),
    ]);
    expect(match('7.jpg')).to.deep.equal({ several: 2 });
  });

  it('has a position among those that the lot names', () => {
    expect(matchOf('front view.jpg')).to.deep.equal({ lotId: 16, position: 1 });
  });

  it('is in the order that people count in', () => {
    expect(['10.jpg', '2.jpg', '1 (2).jpg', '1.jpg'].toSorted(inOrder)).to.deep.equal([
      ...['1 (2).jpg', '1.jpg', '2.jpg', '10.jpg'],
    ]);
  });
});
