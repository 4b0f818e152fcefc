/** The screen in the saleroom: the lot on the block as buyers see it, and the next one as soon as the clerk puts it there. */
import './on-block.js';
import { followMoves } from './moves.js';

followMoves(document.body.dataset.follow, () => {});
