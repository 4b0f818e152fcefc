/**
 * The text of one stream message: frames of three lines each, header, public form and private form. A message holds the
 * entries of many lots and changes of auctions' records; JSON has no raw line breaks, so nothing needs escaping.
 */
import type { AuctionEvent } from '../../engine/actor/journal.ts';
import type { EntryTrace, SealedEntry } from '../../engine/lot/entry.ts';

export type Frame =
  | { readonly kind: 'entry'; readonly entry: SealedEntry }
  | { readonly kind: 'auction'; readonly auctionId: number; readonly event: AuctionEvent };

export function packEntry(entry: SealedEntry): string {
  const { lotId, auctionId, firstSequence, sequence, hash, previousHash, recordedAtUs, traces } = entry;
  // A release that knows of no traces reads the header up to the moment and passes over what follows.
  const rest = traces === undefined ? '' : `,${JSON.stringify(traces)}`;
  const header = `["l",${lotId},${auctionId},${firstSequence},${sequence}`;
  return `${header},"${hash}","${previousHash}",${recordedAtUs}${rest}]\n${entry.publicText}\n${entry.privateText}`;
}

export function packAuctionEvent(auctionId: number, event: AuctionEvent): string {
  return `["a",${auctionId}]\n${JSON.stringify(event)}\n`;
}

type Header =
  | ['l', number, number, number, number, string, string, number, (readonly EntryTrace[])?]
  | ['a', number];

/** Reads a stream message's text back into its frames. */
export function unpackFrames(text: string): Frame[] {
  const lines = text.split('\n');
  const frames: Frame[] = [];
  for (let at = 0; at + 2 < lines.length; at += 3) {
    const header: Header = JSON.parse(lines[at] ?? '');
    if (header[0] === 'a') {
      frames.push({
        kind: 'auction',
        auctionId: header[1],
        event: JSON.parse(lines[at + 1] ?? ''),
      });
      continue;
    }
    const [, lotId, auctionId, firstSequence, sequence, hash, previousHash, recordedAtUs, traces] = header;
    const publicText = lines[at + 1] ?? '';
    const privateText = lines[at + 2] ?? '';
    frames.push({
      kind: 'entry',
      entry: {
        lotId,
        auctionId,
        firstSequence,
        sequence,
        hash,
        previousHash,
        recordedAtUs,
        publicText,
        privateText,
        ...(traces === undefined ? {} : { traces }),
      },
    });
  }
  return frames;
}
