/** Tokens: whoever has one acts by it while it is good; only the person whose it is sees and revokes it. */
import { policy } from './policy.ts';
import { ANYBODY } from './who.ts';

const TOKEN_STATES = ['good', 'revoked', 'expired'] as const;
export type TokenState = (typeof TOKEN_STATES)[number];
export type TokenAction = keyof (typeof TOKEN_POLICY)['actions'];

export const TOKEN_POLICY = policy({
  resource: 'token',
  about: 'To use one is to be whose it is. What it may be used for are its abilities.',
  states: TOKEN_STATES,
  actions: {
    use: {
      does: 'reads',
      by: [],
      rows: [
        [['good'], ANYBODY, 'allowed'],
        ['any', ANYBODY, 'unauthenticated'],
      ],
    },
    list: { does: 'reads', by: ['tokensPage'], rows: [['any', ['own'], 'allowed']] },
    revoke: {
      does: 'changes',
      by: ['revokeTokenOnPage', 'rostrum token revoke'],
      rows: [['any', ['own'], 'allowed']],
    },
  },
});
