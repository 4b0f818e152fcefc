/**
 * Browsers that watch a lot: live streams held open by this process, which counts what they are sent. The bench of
 * scaling calls it.
 */
import { type ClientRequest, get } from 'node:http';

export interface Listeners {
  /** Bids heard since they were opened, over all streams. */
  heard(): number;
  close(): void;
}

const BID = 'event: bid.placed\n';

/** Opens `count` streams of a lot, dealt out to the tokens in turn; resolves when each has its first bytes. */
export async function openListeners(
  url: string,
  lot: number,
  tokens: readonly string[],
  count: number,
): Promise<Listeners> {
  let heard = 0;
  const requests: ClientRequest[] = [];
  const open = (index: number) =>
    new Promise<void>((resolve, reject) => {
      const headers = { authorization: `Bearer ${tokens[index % tokens.length]}` };
      const opened = get(`${url}/api/v1/lots/${lot}/stream`, { headers, agent: false }, (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`a stream was answered ${answer.statusCode}`));
        answer.setEncoding('utf8').on('data', (text: string) => {
          heard += text.split(BID).length - 1;
          resolve();
        });
      });
      opened.on('error', reject);
      requests.push(opened);
    });
  for (let at = 0; at < count; at += 1) await open(at);
  heard = 0;
  return {
    heard: () => heard,
    close() {
      for (const opened of requests) opened.on('error', () => undefined).destroy();
    },
  };
}
