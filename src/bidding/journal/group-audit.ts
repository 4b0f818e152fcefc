/**
 * Checks what no lot's journal says by itself: that lots which close together (rule 20) did. Each end that a lot took
 * over from its group was one of the lot that it names, and all that the clock has closed ended at the same moment. Fed
 * by the verification of single lots; journals may have grown between two of them.
 */
import { decodeEvents } from '../../../engine/formats/formats.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import type { LotEvent } from '../../../engine/lot/events.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { Difference } from './lot-audit.ts';

interface Move {
  readonly lotId: number;
  readonly causedBy: number;
  readonly endsAtUs: number;
  readonly atUs: number;
}

interface Member {
  readonly lotId: number;
  readonly auctionId: number;
  group: string | null;
  /** The ends that it has had by what was done on it. */
  readonly ownEndsUs: Set<number>;
  readonly moves: Move[];
  closedEndUs: number | null;
  /** Whatever was done on it before is in its journal as it was read. */
  readUs: number;
  /** Brought back after a loss: then it may name an end that another lot has moved. */
  isRebuilt: boolean;
}

export class GroupAudit {
  readonly #members = new Map<number, Member>();

  /** Takes the next entry of a lot, and the state that it leads to; `readUs` is when its journal was read. */
  take(entry: SealedEntry, state: LotState, readUs: number): void {
    const { lotId, auctionId, publicText } = entry;
    let member = this.#members.get(lotId);
    if (member === undefined) {
      if (!publicText.includes('"close_group":')) return;
      const empty = { group: null, ownEndsUs: new Set<number>(), moves: [], closedEndUs: null };
      member = { lotId, auctionId, ...empty, readUs, isRebuilt: false };
      this.#members.set(lotId, member);
    }
    for (const event of decodeEvents(entry.privateText)) note(member, event, entry.recordedAtUs, state);
  }

  /** Throws `Difference` for the first group that did not close together. */
  check(): void {
    const ends = new Map<string, Member>();
    for (const member of this.#members.values()) {
      for (const move of member.moves) this.#checkMove(member, move);
      if (member.group === null || member.closedEndUs === null) continue;
      const key = `${member.auctionId}|${member.group}`;
      const first = ends.get(key) ?? member;
      ends.set(key, first);
      if (first.closedEndUs !== null && first.closedEndUs !== member.closedEndUs)
        throw new Difference(
          `lots ${first.lotId} and ${member.lotId} of the group "${member.group}" closed at different ends, ` +
            `${isoFromUs(first.closedEndUs)} and ${isoFromUs(member.closedEndUs)}`,
        );
    }
  }

  #checkMove({ lotId, group }: Member, { causedBy, endsAtUs, atUs }: Move): void {
    const cause = this.#members.get(causedBy);
    if (cause === undefined || cause.isRebuilt || cause.readUs < atUs) return;
    if (cause.group === group && cause.ownEndsUs.has(endsAtUs)) return;
    throw new Difference(
      `lot ${lotId} ends at ${isoFromUs(endsAtUs)} because of lot ${causedBy}, which never ended then`,
    );
  }
}

function note(member: Member, event: LotEvent, atUs: number, state: LotState): void {
  switch (event.type) {
    case 'lot_scheduled':
      member.group = event.closeGroup ?? null;
      break;
    case 'lot_rescheduled': {
      const { group, endsAtUs, closeGroup } = event;
      if (closeGroup !== undefined) member.group = closeGroup;
      if (group === undefined) member.ownEndsUs.add(endsAtUs);
      else member.moves.push({ lotId: member.lotId, causedBy: group.causedBy, endsAtUs, atUs });
      break;
    }
    case 'bid_placed':
      if (event.extendedToUs !== null) member.ownEndsUs.add(event.extendedToUs);
      break;
    case 'lot_recovered':
      member.isRebuilt = true;
      break;
    case 'lot_closed':
      if (event.reason === 'time') member.closedEndUs = state.endsAtUs;
      break;
  }
}
