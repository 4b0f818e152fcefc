import { worked } from './build.ts';
import { bid, noUndo, undoes, voids } from './steps.ts';

/** Worked cases: the clerk takes a call from the floor back (rule 18). */
const HALL = { type: 'simulcast' } as const;
const floor = { channel: 'floor' } as const;

export const undoCases = [
  worked('rule 18: the only call', HALL, [
    bid('guest', 100, null, 10, 'leading', 100, [100, 110, 'guest', 1, true], floor),
    undoes('b1', 15, [0, 100, null, 0, true]),
  ]),
  worked('rule 18: a call over another call', HALL, [
    bid('guest', 100, null, 10, 'leading', 100, [100, 110, 'guest', 1, true], floor),
    bid('ann', 150, null, 12, 'leading', 150, [150, 160, 'ann', 2, true], floor),
    undoes('b2', 20, [100, 110, 'guest', 1, true]),
  ]),
  worked('rule 18: what a ceiling has answered stays, for the next call too', HALL, [
    bid('ann', null, 900, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    bid('guest', 500, null, 20, 'outbid', 500, [525, 550, 'ann', 2, true], floor),
    undoes('b2', 25, [525, 550, 'ann', 1, true]),
    bid('bob', null, 560, 30, 'outbid', 560, [585, 610, 'ann', 2, true]),
    voids('b3', 40, [525, 550, 'ann', 1, true]),
  ]),
  worked('rule 18: the price goes with the ceiling that had answered', HALL, [
    bid('bob', null, 300, 5, 'leading', 100, [100, 110, 'bob', 1, true]),
    bid('ann', null, 900, 10, 'leading', 310, [310, 320, 'ann', 2, true]),
    bid('guest', 500, null, 20, 'outbid', 500, [525, 550, 'ann', 3, true], floor),
    undoes('b3', 25, [525, 550, 'ann', 2, true]),
    voids('b2', 40, [100, 110, 'bob', 1, true]),
  ]),
  worked('rule 18: a call that has beaten a ceiling is undone by staff alone', HALL, [
    bid('ann', null, 400, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    bid('guest', 500, null, 20, 'leading', 500, [500, 525, 'guest', 2, true], floor),
    noUndo('b2', 25, 'undo_staff_only'),
    bid('bob', null, 900, 26, 'leading', 525, [525, 550, 'bob', 3, true]),
    noUndo('b2', 28, 'undo_staff_only'),
    voids('b2', 30, [410, 420, 'bob', 2, true]),
  ]),
  worked('rule 18: the call that raised a bidder’s own ceiling', HALL, [
    bid('ann', null, 400, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    bid('ann', 500, null, 20, 'leading', 500, [500, 525, 'ann', 2, true], floor),
    noUndo('b2', 25, 'undo_staff_only'),
  ]),
  worked('rule 18: the last call, within ten seconds, three times', HALL, [
    bid('guest', 100, null, 10, 'leading', 100, [100, 110, 'guest', 1, true], floor),
    bid('ann', 110, null, 12, 'leading', 110, [110, 120, 'ann', 2, true], floor),
    noUndo('b1', 13, 'not_last_call'),
    noUndo('b2', 23, 'undo_too_late'),
    bid('guest', 120, null, 30, 'leading', 120, [120, 130, 'guest', 3, true], floor),
    undoes('b3', 40, [110, 120, 'ann', 2, true]),
    noUndo('b3', 40, 'already_voided'),
    bid('guest', 120, null, 50, 'leading', 120, [120, 130, 'guest', 3, true], floor),
    undoes('b4', 51, [110, 120, 'ann', 2, true]),
    bid('guest', 120, null, 60, 'leading', 120, [120, 130, 'guest', 3, true], floor),
    undoes('b5', 61, [110, 120, 'ann', 2, true]),
    bid('guest', 120, null, 70, 'leading', 120, [120, 130, 'guest', 3, true], floor),
    noUndo('b6', 71, 'undo_limit'),
  ]),
];
