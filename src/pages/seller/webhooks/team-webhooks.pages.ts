/**
 * `/seller/webhooks`: where the team's events are sent. A new secret is shown once, on the page that creates it;
 * deliveries, tests and rotation are on each webhook's own page.
 */
import { type Endpoint, endpoint, type Reply } from '../../../../adapters/http/endpoint.ts';
import { objectIn } from '../../../../engine/objects.ts';
import { eventTicks, tickedEvents } from '../../components/event-ticks.ts';
import { PAGE } from '../../page.ts';
import { attempt, type Refusal, TextForm, textsIn } from '../forms/desk-form.ts';
import { formView } from '../forms/form-fields.ts';
import { bodyOf, type FormTexts } from '../forms/form-values.ts';
import { type Desk, shownFor, type Visit } from '../frame/desk.ts';

const PATH = '/seller/webhooks';

export function webhookDeskPages(desk: Desk): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: PATH,
      operationId: 'sellerWebhooksPage',
      summary: 'The team’s webhooks',
      handle: (request) => desk.at(request, (visit) => draw(desk, visit, {})),
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: PATH,
      operationId: 'createTeamWebhookOnPage',
      summary: 'Creates a webhook of the team',
      body: { form: TextForm },
      handle: (request) =>
        desk.at(request, async (visit) => {
          const toProve = desk.pages.proveFirst(request, PATH);
          if (toProve !== null) return toProve;
          const texts = textsIn(request.body);
          const schema = desk.operations.bodySchema('createWebhookSubscription');
          const typed = bodyOf(schema, texts, { marks: null, ...shownFor(request) });
          const body = { ...typed, events: tickedEvents(texts) };
          const tried = await attempt(desk, () => visit.perform('createWebhookSubscription', { body }));
          if ('refused' in tried) return draw(desk, visit, { texts, refused: tried.refused });
          return draw(desk, visit, { made: objectIn(tried.done.data) });
        }),
    }),
  ];
}

interface Drawn {
  readonly texts?: FormTexts;
  readonly refused?: Refusal;
  readonly made?: Readonly<Record<string, unknown>>;
}

async function draw(
  desk: Desk,
  visit: Visit,
  { texts = { all: '1' }, refused, made }: Drawn,
): Promise<Reply> {
  const { data } = await visit.perform('listWebhookSubscriptions', { query: { per_page: 100 } });
  const options = {
    omit: ['events'],
    labels: { url: 'Address', description: 'Note', events: 'Events' },
    hints: { url: 'A public https address without a name or password in it.' },
  };
  const { properties = {}, ...schema } = desk.operations.bodySchema('createWebhookSubscription');
  const url = { ...properties['url'], format: 'uri' };
  const wrong = refused?.errors['events'] === undefined ? null : 'Choose at least one event.';
  const errors = { ...refused?.errors, ...(wrong === null ? {} : { events: [wrong] }) };
  const form = formView({ ...schema, properties: { ...properties, url } }, texts, options, errors);
  const problems = form.problems.map((one) =>
    one.sentence === wrong ? { ...one, id: 'field-events' } : one,
  );
  return desk.html(visit, {
    title: 'Webhooks',
    template: 'seller/webhooks/webhooks',
    status: refused?.status ?? 200,
    data: {
      ...{ subscriptions: data, made: made ?? null, problems, wrong },
      ...{ items: form.items, ticks: eventTicks(texts) },
    },
  });
}
