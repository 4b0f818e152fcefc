/**
 * Words that names no longer use, because a reader had to translate them, each with its replacement. Columns and fields
 * on the wire keep their names; an ordinary verb in a comment is not a name.
 */
import { codeOf, type Sources } from './rules.ts';

const GONE: Readonly<Record<string, string>> = {
  ask: 'request',
  asks: 'request',
  asked: 'requested',
  asking: 'request',
  astray: 'rolling back',
  complain: 'report an error',
  deed: 'action',
  deeds: 'actions',
  duties: 'scheduled jobs',
  duty: 'scheduled job',
  ear: 'subscription',
  ears: 'subscriptions',
  flights: 'in-flight batches',
  gather: 'collect, batch',
  gathered: 'batched',
  gathering: 'collecting',
  lane: 'queue, concurrency',
  lanes: 'queues, concurrency',
  leasts: 'lower bounds',
  leaving: 'archiving',
  looked: 'checked',
  looking: 'checking',
  mistake: 'error',
  mistakes: 'errors',
  mosts: 'upper bounds',
  printed: 'serialized, formatted',
  pump: 'flush, worker',
  pumps: 'workers',
  recall: 'replay, cached',
  remember: 'cache',
  remembered: 'cached',
  reminders: 'retry jobs',
  stretch: 'time bucket, segment',
  stumbled: 'failed',
  tell: 'notify, send, resolve',
  tells: 'notifies',
  told: 'notified, sent, read',
  wary: 'contended',
  whereabouts: 'location, address',
};

/** Names of columns, which stay as they are. */
const COLUMNS: ReadonlySet<string> = new Set([
  'told',
  'looked_at',
  'cancel_asked',
  'registration_asked',
  'asked_at',
  'asked',
]);

interface Confined {
  /** The files, or the names, in which the word has its one meaning. */
  readonly files?: RegExp;
  readonly names?: RegExp;
  /** What the other meaning is called. */
  readonly say: string;
}

/** Words of the glossary that would have a second meaning elsewhere. */
const CONFINED: Readonly<Record<string, Confined>> = {
  batch: {
    files:
      /^(engine\/actor|adapters|src\/bidding\/(journal|records)|test\/(contracts|simulation|engine|adapters\/redis)|bench\/memory)\//,
    names: /^(ad_count_batches|batchInsert)$/,
    say: 'page, rows, taken',
  },
  // `lot_states.place` is a column, a viewing’s and a collection’s `place` a field, “Place bid” the label of a button; a town is a place.
  place: {
    files:
      /^(src\/bidding\/(projection\/archiving)\.ts|src\/tools\/demo\/(document|more-auctions)\.ts|src\/shared\/(sale-terms|sale-term-columns)\.ts|src\/(catalog\/places|catalog\/viewings|sales\/collections|pages\/lots|pages\/seller\/lots)\/.*|test\/browser\/first-visit.*|test\/src\/(pages\/public-pages|pages\/seller\/lot-place|catalog\/near|catalog\/questions|selling\/sale-terms|sales\/collections|tools\/import\/(import-marketplace\.test|a-marketplace)).*)$/,
    names: /place[_-]?(bid|demoBids|endpoints)/i,
    say: 'position, index, path, location',
  },
  reply: { files: /^(adapters\/http|src|test\/support)\//, names: /^ErrorReply$/, say: 'answer' },
  // What a person may do, and a bid that stands though it does not lead.
  standing: {
    files:
      /^(engine\/lot\/(commands|unused-fields)\.ts|(src|engine\/formats\/(falling|parcels)|test\/(src|docs|engine|security|history|faults|browser|simulation|closings))\/)/,
    say: 'lead',
  },
  // Of the event loop, of a fair queue's groups, and of what is drawn rotated.
  turn: {
    files:
      /^(adapters|engine|test|bench|src\/(accounts\/people\/fair-line|pages\/map|tools\/demo|media|catalog\/media|pages\/seller\/media))/,
    say: 'client, pass, round',
  },
};

const SINGULAR: Readonly<Record<string, string>> = {
  batches: 'batch',
  places: 'place',
  replies: 'reply',
  turns: 'turn',
};

function strays(path: string, name: string): string[] {
  if (!/^(engine|adapters|src|test|bench)\//.test(path)) return [];
  return wordsOf(name).flatMap((word) => {
    const single = SINGULAR[word] ?? word;
    const { files, names, say } = Object.hasOwn(CONFINED, single) ? CONFINED[single]! : {};
    if (say === undefined || files?.test(path) || names?.test(name)) return [];
    return [`${path}: ${name} gives “${single}” a second meaning; say: ${say}`];
  });
}

/** A word that texts spell in one way: people read pages, answers, docs and messages side by side. */
const RESPELLED = /\be-mails?\b/i;

/** Texts that spell a word in another way than the rest. */
export function otherSpellings(sources: Sources): string[] {
  return [...sources].flatMap(([path, text]) => {
    const found = RESPELLED.exec(text)?.[0];
    return found === undefined ? [] : [`${path} spells “${found}”; say: ${found.replace('-', '')}`];
  });
}

/** Names in code or of files that hold a word that is gone, or one in another meaning than the glossary's. */
export function goneWords(sources: Sources): string[] {
  return [...sources].flatMap(([path, text]) => {
    const names = new Set(codeOf(text, false).match(/[A-Za-z_$][\w$]*/g));
    const file = path.split('/').at(-1) ?? '';
    return [file, ...names].flatMap((name) => {
      const word = COLUMNS.has(name) ? undefined : wordsOf(name).find((one) => Object.hasOwn(GONE, one));
      const gone = word === undefined ? [] : [`${path}: ${name} says “${word}”; say: ${GONE[word]}`];
      return [...gone, ...(COLUMNS.has(name) ? [] : strays(path, name))];
    });
  });
}

/** `GatheredReads`, `gathered_reads` and `gathered-reads.ts` alike: `gathered`, `reads`. */
function wordsOf(name: string): string[] {
  return (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((word) => word.toLowerCase());
}
