/**
 * A Merkle tree that only grows, hashed as RFC 6962 §2.1 says, over hashes kept in tiles: a tile holds the hashes of
 * 256 neighbouring complete subtrees of one height, so that adding leaves writes few rows, and a proof reads few.
 * The caller supplies how tiles are read; nothing here knows where they are stored.
 */
import { createHash } from 'node:crypto';

/** Levels of the tree between one level of tiles and the next. */
const TILE_HEIGHT = 8;
const TILE_WIDTH = 2 ** TILE_HEIGHT;
const HASH_BYTES = 32;

/** Hashes of complete subtrees of height 8 × `level`: those from 256 × `number` on. */
export interface Tile {
  readonly level: number;
  readonly number: number;
  /** Hashes of 32 bytes, one after the other; fewer than 256 where the tree ends. */
  readonly hashes: Buffer;
}

/** Reads a tile; null where there is none yet. */
export type ReadTile = (level: number, number: number) => Promise<Buffer | null>;

const sha256 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const NODE = Buffer.from([1]);

/** RFC 6962 §2.1: the first byte distinguishes the hash of a node from that of a leaf, which Postgres makes. */
export const hashNode = (left: Uint8Array, right: Uint8Array): Buffer => sha256(NODE, left, right);

/** The hash of a tree without leaves. */
export const EMPTY_ROOT = sha256();

/** The tiles that change when leaves are added behind `size` others. Returns the new tiles in full. */
export async function appendLeaves(
  read: ReadTile,
  size: number,
  leaves: readonly Buffer[],
  pause: () => Promise<void> = async () => {},
): Promise<Tile[]> {
  const changed: Tile[] = [];
  let added = leaves;
  for (let level = 0; added.length > 0; level++) {
    const before = Math.floor(size / TILE_WIDTH ** level);
    const full: Buffer[] = [];
    for (let at = before; at < before + added.length; ) {
      const number = Math.floor(at / TILE_WIDTH);
      const kept = at % TILE_WIDTH;
      const room = TILE_WIDTH - kept;
      const news = added.slice(at - before, at - before + room);
      const old = kept === 0 ? Buffer.alloc(0) : await requireTile(read, level, number);
      const hashes = Buffer.concat([old.subarray(0, kept * HASH_BYTES), ...news]);
      changed.push({ level, number, hashes });
      if (kept + news.length === TILE_WIDTH) full.push(subtreeIn(hashes, 0, TILE_WIDTH));
      at += news.length;
      await pause();
    }
    added = full;
  }
  return changed;
}

async function requireTile(read: ReadTile, level: number, number: number): Promise<Buffer> {
  const tile = await read(level, number);
  if (tile === null) throw new Error(`tile ${level}/${number} of the checkpoint tree is missing`);
  return tile;
}

/** The hash over `count` (a power of two) hashes of a tile. */
function subtreeIn(hashes: Buffer, first: number, count: number): Buffer {
  if (count === 1) return hashes.subarray(first * HASH_BYTES, (first + 1) * HASH_BYTES);
  const half = count / 2;
  return hashNode(subtreeIn(hashes, first, half), subtreeIn(hashes, first + half, half));
}

/** Roots and proofs of a tree whose tiles are stored. Reads each tile once. */
export class TiledTree {
  readonly #read: ReadTile;
  readonly #tiles = new Map<string, Promise<Buffer>>();

  constructor(read: ReadTile) {
    this.#read = read;
  }

  /** The root of the tree of the first `size` leaves. */
  async root(size: number): Promise<Buffer> {
    return size === 0 ? EMPTY_ROOT : this.#range(0, size);
  }

  /** RFC 6962 §2.1.1: the hashes that lead from leaf `index` to the root of the first `size` leaves. */
  async inclusionProof(index: number, size: number): Promise<Buffer[]> {
    if (index < 0 || index >= size) throw new RangeError(`leaf ${index} is not in a tree of ${size}`);
    const path = async (from: number, to: number): Promise<Buffer[]> => {
      if (to - from === 1) return [];
      const middle = from + splitOf(to - from);
      return index < middle
        ? [...(await path(from, middle)), await this.#range(middle, to)]
        : [...(await path(middle, to)), await this.#range(from, middle)];
    };
    return path(0, size);
  }

  /** RFC 6962 §2.1.2: the hashes that show that the tree of `older` leaves begins the one of `newer`. */
  async consistencyProof(older: number, newer: number): Promise<Buffer[]> {
    if (older < 0 || older > newer)
      throw new RangeError(`a tree of ${newer} does not extend one of ${older}`);
    if (older === 0 || older === newer) return [];
    const proof = async (from: number, to: number, whole: boolean): Promise<Buffer[]> => {
      if (to === older) return whole ? [] : [await this.#range(from, to)];
      const middle = from + splitOf(to - from);
      return older <= middle
        ? [...(await proof(from, middle, whole)), await this.#range(middle, to)]
        : [...(await proof(middle, to, false)), await this.#range(from, middle)];
    };
    return proof(0, newer, true);
  }

  /** The hash over the leaves `from` … `to` − 1. */
  async #range(from: number, to: number): Promise<Buffer> {
    const count = to - from;
    const height = Math.log2(count);
    if (Number.isInteger(height) && from % count === 0) return this.#subtree(height, from / count);
    const middle = from + splitOf(count);
    const [left, right] = await Promise.all([this.#range(from, middle), this.#range(middle, to)]);
    return hashNode(left, right);
  }

  /** The hash of the complete subtree of a height that is the `index`-th of its height. */
  async #subtree(height: number, index: number): Promise<Buffer> {
    const level = Math.floor(height / TILE_HEIGHT);
    const count = 2 ** (height - level * TILE_HEIGHT);
    const first = index * count;
    const tile = await this.#tile(level, Math.floor(first / TILE_WIDTH));
    return subtreeIn(tile, first % TILE_WIDTH, count);
  }

  #tile(level: number, number: number): Promise<Buffer> {
    const name = `${level}/${number}`;
    const known = this.#tiles.get(name);
    if (known !== undefined) return known;
    const tile = requireTile(this.#read, level, number);
    this.#tiles.set(name, tile);
    return tile;
  }
}

/** The largest power of two below `count`. */
function splitOf(count: number): number {
  return 2 ** Math.ceil(Math.log2(count) - 1);
}
