/**
 * Checks what no lot's journal says by itself: that lots which were chosen (rule 25) are sold as the lot has it that
 * carried the bidding, and once. Fed by the verification of single lots; journals may have grown between two of them.
 */
import { decodeEvents } from '../../../engine/formats/formats.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import type { LotEvent } from '../../../engine/lot/events.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { type LotUnits, totalOf } from '../../../engine/lot/units.ts';
import { Difference } from './lot-audit.ts';

type ChoiceMade = Extract<LotEvent, { readonly type: 'choice_made' }>;

interface Bought {
  readonly lotId: number;
  readonly causedBy: number;
  readonly who: string | null;
  readonly cents: number | null;
  readonly units: LotUnits | null;
  readonly atUs: number;
}

/** A lot that is offered with others. */
interface Offered {
  readonly choices: ChoiceMade[];
  /** Whatever was done on it before is in its journal as it was read. */
  readonly readUs: number;
  /** Brought back after a loss: then it goes on from what is known. */
  isRebuilt: boolean;
}

export class ChoiceAudit {
  readonly #offered = new Map<number, Offered>();
  readonly #bought: Bought[] = [];

  /** Takes the next entry of a lot, and the state that it leads to; `readUs` is when its journal was read. */
  take({ lotId, publicText, privateText, recordedAtUs }: SealedEntry, state: LotState, readUs: number): void {
    let lot = this.#offered.get(lotId);
    if (lot === undefined) {
      if (!publicText.includes('"choice_group":')) return;
      lot = { choices: [], readUs, isRebuilt: false };
      this.#offered.set(lotId, lot);
    }
    for (const event of decodeEvents(privateText)) {
      if (event.type === 'choice_made') lot.choices.push(event);
      if (event.type === 'lot_recovered') lot.isRebuilt = true;
      if (event.type !== 'lot_closed' || event.causedBy === undefined) continue;
      const { causedBy, hammerCents: cents, winner } = event;
      const { units } = state;
      this.#bought.push({ lotId, causedBy, who: winner?.key ?? null, cents, units, atUs: recordedAtUs });
    }
  }

  /** Throws `Difference` for the first lot that was not chosen as it was sold. */
  check(): void {
    for (const bought of this.#bought) this.#checkBought(bought);
    const carriers = new Map<number, number>();
    for (const [carrier, { choices, isRebuilt }] of this.#offered)
      for (const { lotId } of isRebuilt ? [] : choices.flatMap(({ lots }) => lots)) {
        const other = carriers.get(lotId);
        if (other !== undefined)
          throw new Difference(
            `lot ${lotId} is chosen twice, by the bidding on lots ${other} and ${carrier}`,
          );
        carriers.set(lotId, carrier);
      }
  }

  #checkBought({ lotId, causedBy, who, cents, units, atUs }: Bought): void {
    const cause = this.#offered.get(causedBy);
    if (cause === undefined || cause.isRebuilt || cause.readUs < atUs) return;
    const isChosen = cause.choices.some(
      ({ lots, winner, hammerCents }) =>
        lots.some((lot) => lot.lotId === lotId) &&
        winner.key === who &&
        totalOf(units, hammerCents) === cents,
    );
    if (!isChosen)
      throw new Difference(
        `lot ${lotId} is sold as chosen by the bidding on lot ${causedBy}, where nobody has chosen it so`,
      );
  }
}
