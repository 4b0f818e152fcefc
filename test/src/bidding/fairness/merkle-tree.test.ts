/**
 * The tree against RFC 6962: the reference vectors of Certificate Transparency, and a naive tree of the RFC's words.
 */
import { expect } from 'chai';
import {
  appendLeaves,
  EMPTY_ROOT,
  hashNode,
  type ReadTile,
  TiledTree,
} from '../../../../src/bidding/fairness/merkle-tree.ts';
import { hashLeaf } from '../../../support/leaf-hash.ts';

/** The leaves of the reference implementation's own test, and the roots of their trees from one leaf to eight. */
const LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
];
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

class Store {
  readonly #tiles = new Map<string, Buffer>();
  size = 0;
  readonly read: ReadTile = async (level, number) => this.#tiles.get(`${level}/${number}`) ?? null;

  async add(...data: Buffer[]): Promise<void> {
    for (const tile of await appendLeaves(this.read, this.size, data.map(hashLeaf)))
      this.#tiles.set(`${tile.level}/${tile.number}`, tile.hashes);
    this.size += data.length;
  }

  tree(): TiledTree {
    return new TiledTree(this.read);
  }
}

/** RFC 6962 §2.1, word for word. */
function naiveRoot(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return EMPTY_ROOT;
  if (leaves.length === 1) return hashLeaf(leaves[0]!);
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return hashNode(naiveRoot(leaves.slice(0, split)), naiveRoot(leaves.slice(split)));
}

/** RFC 9162 §2.1.3.2. */
function rootFrom(index: number, size: number, leaf: Buffer, proof: readonly Buffer[]): Buffer {
  let [node, last, hash] = [index, size - 1, leaf];
  for (const sibling of proof) {
    if (last === 0) throw new Error('the proof is too long');
    if (node % 2 === 1 || node === last) {
      hash = hashNode(sibling, hash);
      while (node % 2 === 0 && node !== 0) [node, last] = [node >> 1, last >> 1];
    } else hash = hashNode(hash, sibling);
    [node, last] = [node >> 1, last >> 1];
  }
  if (last !== 0) throw new Error('the proof is too short');
  return hash;
}

describe('the tree of checkpoints', () => {
  it('has the roots of RFC 6962’s reference vectors, however the leaves come', async () => {
    const [one, all] = [new Store(), new Store()];
    expect(EMPTY_ROOT.toString('hex')).to.match(/^e3b0c442/);
    for (const [index, leaf] of LEAVES.entries()) {
      await one.add(Buffer.from(leaf, 'hex'));
      expect((await one.tree().root(index + 1)).toString('hex')).to.equal(ROOTS[index]);
    }
    await all.add(...LEAVES.map((leaf) => Buffer.from(leaf, 'hex')));
    expect((await all.tree().root(8)).toString('hex')).to.equal(ROOTS[7]);
  });

  it('gives the reference proofs', async () => {
    const store = new Store();
    await store.add(...LEAVES.map((leaf) => Buffer.from(leaf, 'hex')));
    const hex = (hashes: readonly Buffer[]) => hashes.map((hash) => hash.toString('hex').slice(0, 8));
    expect(hex(await store.tree().inclusionProof(0, 8))).to.deep.equal(['96a296d2', '5f083f0a', '6b47aaf2']);
    expect(hex(await store.tree().inclusionProof(5, 8))).to.deep.equal(['bc1a0643', 'ca854ea1', 'd37ee418']);
    expect(hex(await store.tree().consistencyProof(6, 8))).to.deep.equal([
      '0ebc5d34',
      'ca854ea1',
      'd37ee418',
    ]);
    expect(await store.tree().consistencyProof(1, 1)).to.deep.equal([]);
  });

  it('agrees with the naive tree over the edges of tiles, for roots and every proof', async () => {
    const store = new Store();
    const leaves = Array.from({ length: 1_300 }, (_, index) => Buffer.from(`leaf ${index}`));
    for (let at = 0, step = 1; at < leaves.length; at += step, step = (step * 7) % 263 || 1) {
      await store.add(...leaves.slice(at, at + step));
    }
    expect(store.size).to.equal(leaves.length);
    for (const size of [1, 2, 255, 256, 257, 511, 513, 769, 1_024, 1_300]) {
      const root = naiveRoot(leaves.slice(0, size));
      expect((await store.tree().root(size)).equals(root), `root of ${size}`).to.equal(true);
      for (const index of [0, 1, 254, 255, 256, 600, size - 1].filter((one) => one < size)) {
        const proof = await store.tree().inclusionProof(index, size);
        expect(rootFrom(index, size, hashLeaf(leaves[index]!), proof).equals(root)).to.equal(true);
      }
    }
  });

  it('refuses impossible proofs', async () => {
    const store = new Store();
    await store.add(Buffer.from('a'));
    for (const impossible of [store.tree().inclusionProof(1, 1), store.tree().consistencyProof(2, 1)])
      expect(
        await impossible.then(
          () => null,
          (error: Error) => error.name,
        ),
      ).to.equal('RangeError');
  });
});
