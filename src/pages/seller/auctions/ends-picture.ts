/** How the lots of a sale will end, drawn from what its form says: one row a lot, with what late bids add. */
import { endsByHand, sellsTogether } from '../../../shared/format-fields.ts';
import { type FormTexts, secondsOf } from '../forms/form-values.ts';
import type { Schema } from '../forms/shapes.ts';

export interface EndsPicture {
  /** The clerk ends each lot: there is nothing to draw. */
  readonly isByHand: boolean;
  readonly staggerSeconds: number;
  /** 0: late bids do not move the end. */
  readonly windowSeconds: number;
  readonly extensionSeconds: number;
  /** Null: as often as somebody bids. */
  readonly maxExtensions: number | null;
  readonly rows: readonly EndsRow[];
}

interface EndsRow {
  readonly lot: number;
  /** `18:05` by the auction's clock; null where the form has no end yet. */
  readonly clock: string | null;
  /** Percent of the picture's width. */
  readonly end: number;
  /** Where the late bids' window begins. */
  readonly windowFrom: number;
  /** Where one late bid moves the end to; the same as `end` where it does not. */
  readonly movedTo: number;
}

const LOTS = 4;
/** Wide enough to be seen. */
const LEAST = 3;

/** Null where the format ends its lots in another way. */
export function endsPicture(schema: Schema, texts: FormTexts): EndsPicture | null {
  const has = (name: string) => schema.properties?.[name] !== undefined;
  const { format = 'timed', type } = texts;
  const isByHand = endsByHand(format, type) && !sellsTogether(format);
  if (!has('stagger_seconds') && !isByHand) return null;
  const number = (name: string) =>
    Math.max(0, Math.min(secondsOf(texts[name]?.trim() ?? '') ?? 0, 7 * 86_400));
  const stagger = number('stagger_seconds');
  const extension = has('soft_close') ? number('soft_close.extension_seconds') : 0;
  const window = extension === 0 ? 0 : number('soft_close.window_seconds');
  const max = whole(texts['soft_close.max_extensions']);
  const moved = window === 0 ? 0 : extension;
  const before = Math.max(window, stagger, 60) * 1.25;
  const span = before + stagger * (LOTS - 1) + Math.max(moved, 60) * 1.1;
  const at = (seconds: number) => Math.round(((before + seconds) / span) * 1_000) / 10;
  const rows = Array.from({ length: LOTS }, (_, index): EndsRow => {
    const seconds = stagger * index;
    const end = at(seconds);
    return {
      lot: index + 1,
      clock: clockAfter(texts['end_time'], seconds),
      end,
      windowFrom: window === 0 ? end : Math.max(0, Math.min(at(seconds - window), end - LEAST)),
      movedTo: moved === 0 ? end : Math.min(100, Math.max(at(seconds + moved), end + LEAST)),
    };
  });
  return {
    isByHand,
    staggerSeconds: stagger,
    ...{ windowSeconds: window, extensionSeconds: moved },
    maxExtensions: max === 0 ? null : max,
    rows,
  };
}

function whole(text: string | undefined): number {
  return /^[0-9]{1,9}$/.test(text?.trim() ?? '') ? Number(text) : 0;
}

/** What a clock shows so long after `2027-03-02T18:00`. */
function clockAfter(moment: string | undefined, seconds: number): string | null {
  const [, hours, minutes, own = '0'] = /T(\d{2}):(\d{2})(?::(\d{2}))?/.exec(moment ?? '') ?? [];
  if (hours === undefined) return null;
  const total = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(own) + seconds) % 86_400;
  const two = (value: number) => String(value).padStart(2, '0');
  const rest = total % 60 === 0 ? '' : `:${two(total % 60)}`;
  return `${two(Math.floor(total / 3_600))}:${two(Math.floor(total / 60) % 60)}${rest}`;
}
