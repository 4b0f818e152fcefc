/** Inventory items: a team's own, whatever it may put before the public. Their states are their statuses. */
import { ITEM_STATUSES } from '../statuses/selling-statuses.ts';
import { policy } from './policy.ts';
import { KEEPERS, MEMBERS, TEAM } from './who.ts';

export type ItemState = (typeof ITEM_STATUSES)[number];
export type ItemAction = keyof (typeof ITEM_POLICY)['actions'];

export const ITEM_POLICY = policy({
  resource: 'inventory_item',
  about: 'A team’s own. An item that is in an auction follows its lot, and does not move by hand.',
  states: ITEM_STATUSES,
  actions: {
    read: {
      does: 'reads',
      by: ['getInventoryItem', 'listInventory', 'getInventoryAging', 'sellerInventoryPage', 'sellerItemPage'],
      rows: [['any', TEAM, 'allowed']],
    },
    change: {
      does: 'changes',
      by: ['changeInventoryItem', 'changeSellerItemOnPage'],
      rows: [['any', TEAM, 'allowed']],
    },
    move: {
      does: 'changes',
      by: ['changeInventoryItem', 'changeSellerItemOnPage'],
      rows: [
        [['lotted', 'sold'], TEAM, 'invalid_transition'],
        ['any', TEAM, 'allowed'],
      ],
    },
    delete: {
      does: 'changes',
      by: ['deleteInventoryItem'],
      rows: [
        ['any', MEMBERS, 'forbidden'],
        [['lotted', 'sold'], KEEPERS, 'invalid_transition'],
        ['any', KEEPERS, 'allowed'],
      ],
    },
  },
});
