/**
 * How processes notify each other that an account changed: a user suspended, verified or made a member, a token
 * revoked. The token cache listens; whatever changes accounts announces, after its commit. `PubSub` is the small port
 * that Redis fills.
 */

export interface PubSub {
  publish(channel: string, message: string): Promise<void>;
  /**
   * Delivers what is published from now on. `onLink` is called with false when the link to the server is lost, and with
   * true when it is up again: what was published in between is missed.
   */
  subscribe(
    channel: string,
    onMessage: (message: string) => void,
    onLink: (up: boolean) => void,
  ): Promise<() => Promise<void>>;
}

export const ACCOUNTS_CHANNEL = 'rostrum:accounts';

export interface AccountChange {
  /** Everything that is known of these users is stale. */
  readonly userIds?: readonly number[];
  /** These tokens are stale. */
  readonly tokenIds?: readonly number[];
}

/** Notifies every process, including this one. */
export async function announceAccountChange(
  pubSub: Pick<PubSub, 'publish'>,
  change: AccountChange,
): Promise<void> {
  if (!change.userIds?.length && !change.tokenIds?.length) return;
  await pubSub.publish(ACCOUNTS_CHANNEL, JSON.stringify(change));
}

/** What an announcement says; null for one that cannot be read (then everything is stale). */
export function readAccountChange(message: string): AccountChange | null {
  try {
    const { userIds, tokenIds }: AccountChange = JSON.parse(message);
    return { userIds: userIds ?? [], tokenIds: tokenIds ?? [] };
  } catch {
    return null;
  }
}
