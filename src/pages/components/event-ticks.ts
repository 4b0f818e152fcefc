/** The events of a webhook as boxes to tick: what a form shows, and what was ticked on it. */
import { objectIn } from '../../../engine/objects.ts';
import { EVENT_KINDS, type EventKind } from '../../events/event-names.ts';

/** What the first part of an event's name is called. */
const SUBJECTS: Readonly<Record<string, string>> = {
  lot: 'Lots',
  bid: 'Bids',
  auction: 'Auctions',
  invoice: 'Invoices',
  offer: 'Offers',
  user: 'People',
  seller: 'Sellers',
  subscription: 'Plans',
  listing: 'Listings',
};

/** A kind as the name of a tick box: dots mean something in forms. */
export const eventField = (kind: string) => kind.replaceAll('.', '-');

/** The boxes, with those ticked that a form was sent with. */
export function eventTicks(form: object) {
  const ticked = objectIn(form);
  const subjects = [...new Set(EVENT_KINDS.map(subjectOf))];
  return {
    all: ticked['all'] !== undefined,
    subjects: subjects.map((subject) => ({
      legend: SUBJECTS[subject] ?? subject,
      kinds: EVENT_KINDS.filter((kind) => subjectOf(kind) === subject).map((kind) => {
        const field = eventField(kind);
        return { kind, field, isTicked: ticked[field] !== undefined };
      }),
    })),
  };
}

/** The events that were ticked; none where nothing was. */
export function tickedEvents(form: object): readonly (EventKind | '*')[] {
  const ticked = objectIn(form);
  if (ticked['all'] !== undefined) return ['*'];
  return EVENT_KINDS.filter((kind) => ticked[eventField(kind)] !== undefined);
}

const subjectOf = (kind: EventKind): string => kind.slice(0, kind.indexOf('.'));
