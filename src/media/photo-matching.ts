/**
 * Which lot of an auction a photograph is of, by its file's name: one that the lot names, its number at the beginning
 * (`12.jpg`, `0012-2.jpg`, `Lot 12A (3).jpg`), its SKU, or its title. Pure.
 */

export interface MatchedLot {
  readonly id: number;
  readonly lot_number: number;
  readonly catalog_number: string | null;
  readonly title: string;
  readonly sku: string | null;
  /** The names of the files that the lot says are its own. */
  readonly photos: readonly string[];
}

/** The lot's id and the file's position among those that the lot names; or why there is none. */
export type PhotoMatch =
  | { readonly lotId: number; readonly position: number }
  | 'nothing'
  | { readonly several: number };

const NUMBER = /^(?:lot|los|lote|nr|no|n)?[\s._#-]*0*([1-9]\d{0,5})(?:([a-z]{1,2})(?![a-z]))?(?!\d)(.*)$/i;

export function matchPhoto(path: string, lots: readonly MatchedLot[]): PhotoMatch {
  const name = (path.split(/[/\\]/).at(-1) ?? '').normalize('NFC');
  const stem = stemOf(name);
  return byOwnNames(name, lots) ?? byNumber(stem, lots) ?? byWords(stem, lots) ?? 'nothing';
}

/** Files in the order in which people number them: 2 before 10. */
export function inOrder(one: string, other: string): number {
  return NATURAL.compare(one, other);
}

const NATURAL = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** A name without its ending, whatever its case. */
function stemOf(name: string): string {
  return name.replace(/\.(?:jpe?g|jpe|jfif|png|webp|gif|heic|tiff?|pdf)$/i, '');
}

/** By the whole name, else by the name without its ending. */
function byOwnNames(name: string, lots: readonly MatchedLot[]): PhotoMatch | null {
  const by = (same: (text: string) => string) =>
    only(
      lots.flatMap(({ id, photos }) => {
        const wanted = same(name).toLowerCase();
        const position = photos.findIndex(
          (one) => same(one.trim().normalize('NFC')).toLowerCase() === wanted,
        );
        return position < 0 || wanted === '' ? [] : [{ lotId: id, position }];
      }),
    );
  return by((text) => text) ?? by(stemOf);
}

function byNumber(stem: string, lots: readonly MatchedLot[]): PhotoMatch | null {
  const match = NUMBER.exec(stem);
  if (match === null) return null;
  const [, number = '', letters = ''] = match;
  const numbered = (text: string) =>
    lots.filter((lot) => (lot.catalog_number ?? String(lot.lot_number)) === text.toUpperCase());
  // A letter may count the pictures, where no lot has it in its number.
  const found = letters === '' ? [] : numbered(number + letters);
  return only((found.length > 0 ? found : numbered(number)).map(unlisted));
}

function byWords(stem: string, lots: readonly MatchedLot[]): PhotoMatch | null {
  const sku = lots.filter((lot) => lot.sku !== null && isBeginning(plain(lot.sku), plain(stem)));
  if (sku.length > 0) return only(longest(sku, (lot) => plain(lot.sku ?? '')).map(unlisted));
  const titled = lots.filter(({ title }) => isBeginning(plain(title), plain(stem)));
  return only(longest(titled, (lot) => plain(lot.title)).map(unlisted));
}

const unlisted = ({ id }: MatchedLot) => ({ lotId: id, position: Number.MAX_SAFE_INTEGER });

/** Letters and digits alone. */
function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** The file is called so, with nothing behind it but a number of the picture. */
function isBeginning(words: string, stem: string): boolean {
  if (words === '' || !stem.startsWith(words)) return false;
  return /^(| ?\d{1,3}| [a-z])$/.test(stem.slice(words.length));
}

function longest(lots: readonly MatchedLot[], textOf: (lot: MatchedLot) => string): MatchedLot[] {
  const most = Math.max(0, ...lots.map((lot) => textOf(lot).length));
  return lots.filter((lot) => textOf(lot).length === most);
}

function only(found: readonly Exclude<PhotoMatch, string | { several: number }>[]): PhotoMatch | null {
  const [first] = found;
  if (first === undefined) return null;
  return found.length === 1 ? first : { several: found.length };
}
