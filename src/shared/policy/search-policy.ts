/** Saved searches: nobody's but the person's who keeps them. */
import { policy } from './policy.ts';

export type SearchAction = keyof (typeof SEARCH_POLICY)['actions'];

export const SEARCH_POLICY = policy({
  resource: 'saved_search',
  about: 'Whose it is sees it; to everybody else there is none.',
  states: ['kept'] as const,
  actions: {
    list: { does: 'reads', by: ['savedSearchesPage'], rows: [['any', ['own'], 'allowed']] },
    remove: { does: 'changes', by: ['removeSearchOnPage'], rows: [['any', ['own'], 'allowed']] },
  },
});
