/** The screen in a saleroom of tracts: which sets lead and what they come to, with every move, and fair warning. */
import { followMoves } from './moves.js';
import { rereading } from './reread.js';

const frame = document.querySelector('[data-sale-frame]');

const refresh = rereading(async () => {
  const answer = await fetch(location.pathname, { headers: { accept: 'text/html', 'x-fragment': 'block' } });
  if (!answer.ok) return;
  const html = await answer.text();
  if (/^\s*<!doctype/i.test(html)) location.reload();
  else frame.innerHTML = html;
});

followMoves(document.body.dataset.follow, () => refresh());
document.addEventListener('saleroom.block', () => refresh());
const source = new EventSource(`/api/v1/lots/${frame.querySelector('[data-lot]').dataset.lot}/stream`);
source.addEventListener('lot.fair_warning', () => refresh());
addEventListener('pagehide', () => source.close());
