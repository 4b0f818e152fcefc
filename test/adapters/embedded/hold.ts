/**
 * Started by the tests as a process of its own: runs the pair on the folder of its first argument, prints one line of
 * JSON (`databaseUrl`, `redisUrl`, `owner`, or `error`), and holds it until SIGTERM; SIGINT is passed over.
 */
import { EmbeddedError } from '../../../adapters/embedded/errors.ts';
import { borrowEmbedded, startEmbedded } from '../../../adapters/embedded/servers.ts';

const [dataDir = '', how = 'start'] = process.argv.slice(2);
process.on('SIGINT', () => undefined);
const begin = how === 'borrow' ? borrowEmbedded : startEmbedded;
try {
  const { close, ...started } = await begin({ dataDir });
  process.once('SIGTERM', () => close().then(() => process.exit(0)));
  setInterval(() => undefined, 60_000);
  console.log(JSON.stringify(started));
} catch (error) {
  const message = error instanceof EmbeddedError ? error.message : String(error);
  console.log(JSON.stringify({ error: message }));
  process.exitCode = 1;
}
