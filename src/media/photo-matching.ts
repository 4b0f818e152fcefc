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

/** The lot's id and the file's position among those that the lot names. */
interface Found {
  readonly lotId: number;
  readonly position: number;
}

/** The lot, or why there is none. */
export type PhotoMatch = Found | 'nothing' | { readonly several: number };

const NUMBER = /^(?:lot|los|lote|nr|no|n)?[\s._#-]*0*([1-9]\d{0,5})(?:([a-z]{1,2})(?![a-z]))?(?!\d)(.*)$/i;

/**
 * What a file's name says. Everything that lots may be called is worked out once: an auction may have thousands,
 * and an archive hundreds of files.
 */
export function photoMatcher(lots: readonly MatchedLot[]): (path: string) => PhotoMatch {
  const byName = ownNames(lots, (name) => name);
  const byStem = ownNames(lots, stemOf);
  const byNumber = numbersOf(lots);
  const bySku = wordsOf(lots, ({ sku }) => sku ?? '');
  const byTitle = wordsOf(lots, ({ title }) => title);
  return (path) => {
    const name = (path.split(/[/\\]/).at(-1) ?? '').normalize('NFC');
    const stem = stemOf(name);
    const words = plain(stem);
    return byName(name) ?? byStem(stem) ?? byNumber(stem) ?? bySku(words) ?? byTitle(words) ?? 'nothing';
  };
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

type Find = (text: string) => PhotoMatch | null;

/** The files that lots name, each once for a lot. */
function ownNames(lots: readonly MatchedLot[], same: (name: string) => string): Find {
  const named = new Map<string, Found[]>();
  for (const { id, photos } of lots)
    for (const [position, photo] of photos.entries()) {
      const name = same(photo.trim().normalize('NFC')).toLowerCase();
      if (named.get(name)?.at(-1)?.lotId !== id) put(named, name, { lotId: id, position });
    }
  return (name) => (name === '' ? null : only(named.get(name.toLowerCase()) ?? []));
}

function numbersOf(lots: readonly MatchedLot[]): Find {
  const numbered = new Map<string, Found[]>();
  for (const lot of lots) put(numbered, lot.catalog_number ?? String(lot.lot_number), unlisted(lot));
  return (stem) => {
    const [, number = '', letters = ''] = NUMBER.exec(stem) ?? [];
    // A letter may count the pictures, where no lot has it in its number.
    return only(numbered.get((number + letters).toUpperCase()) ?? numbered.get(number) ?? []);
  };
}

function wordsOf(lots: readonly MatchedLot[], textOf: (lot: MatchedLot) => string): Find {
  const called = lots.map((lot) => ({ words: plain(textOf(lot)), ...unlisted(lot) }));
  return (stem) => {
    const found = called.filter(({ words }) => isBeginning(words, stem));
    const most = Math.max(0, ...found.map(({ words }) => words.length));
    return only(found.filter(({ words }) => words.length === most));
  };
}

function put(into: Map<string, Found[]>, key: string, found: Found): void {
  const known = into.get(key);
  if (known === undefined) into.set(key, [found]);
  else known.push(found);
}

const unlisted = ({ id }: MatchedLot): Found => ({ lotId: id, position: Number.MAX_SAFE_INTEGER });

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

function only(found: readonly Found[]): PhotoMatch | null {
  const [first] = found;
  if (first === undefined) return null;
  return found.length === 1 ? { lotId: first.lotId, position: first.position } : { several: found.length };
}
