/** The history of a lot's bids in the browser: a row for each bid as it comes, and which of them are this person's. */
import { agoText, timeText } from './times.js';
import { words } from './words.js';

const MAX_ROWS = 80;
const HOW = { outbid: words('outbid at once'), won: words('bought now') };

/** An element with a text. */
export function element(name, className, text) {
  const made = document.createElement(name);
  if (className !== '') made.className = className;
  made.textContent = text;
  return made;
}

function paddleOf(number) {
  const shown = element('span', '', words('Paddle {0}', number));
  shown.dataset.paddle = number;
  return shown;
}

const rowsPaddle = (row) => row?.querySelector('[data-paddle]')?.dataset.paddle ?? null;

function bidderCell(bid) {
  const cell = document.createElement('td');
  const how = bid.channel === 'online' ? HOW[bid.outcome] : bid.channel;
  cell.append(paddleOf(bid.bidder.paddle_number));
  if (how) cell.append(' ', element('span', 'muted small how', how));
  return cell;
}

/** What a ceiling has answered with. */
function automaticCell(leader) {
  const cell = document.createElement('td');
  if (leader !== null) cell.append(paddleOf(leader), ' ');
  cell.append(element('span', 'muted small how', words('automatic')));
  return cell;
}

function timeCell(iso) {
  const cell = document.createElement('td');
  const time = element('time', '', timeText(iso));
  const ago = element('time', '', agoText(iso));
  for (const one of [time, ago]) one.dateTime = iso;
  ago.dataset.ago = '';
  const beside = element('span', 'muted ago', '(');
  beside.append(ago, ')');
  cell.append(time, ' ', beside);
  return cell;
}

function markMine(row) {
  if (row.classList.contains('mine')) return;
  row.classList.add('mine');
  if (row.dataset.bidId === undefined) return;
  const link = element('a', 'small', words('Why?'));
  link.href = `/bids/${row.dataset.bidId}`;
  link.setAttribute('aria-label', words('Why? {0}', row.cells[1].textContent));
  row.querySelector('[data-paddle]').after(' ', element('span', 'you', words('you')), ' ', link);
}

/** `rows`: the table's body, the newest first; `paddle`: this person's, or null; `money(amount)`: as the page shows it. */
export function bidHistory(rows, paddle, money) {
  let own = paddle;

  /** A row above those that are older. */
  function addRow(bid, amount, cell) {
    const row = document.createElement('tr');
    row.dataset.sequence = bid.sequence;
    row.append(cell, element('td', 'num strong', money(amount)), timeCell(bid.placed_at));
    const below = [...rows.children].find((other) => Number(other.dataset.sequence) <= bid.sequence);
    rows.insertBefore(row, below ?? null);
    return row;
  }

  const isMine = (bid) => own !== null && bid.bidder.paddle_number === own;

  return {
    isMine,
    hasPaddle: () => own !== null,
    setPaddle(number) {
      if (!number) return;
      own = number;
      for (const row of rows.children) if (rowsPaddle(row) === number) markMine(row);
    },
    /** Whether the bid is new here. */
    add(bid) {
      if (rows.querySelector(`[data-sequence="${bid.sequence}"]`)) return false;
      const leader = rowsPaddle(rows.querySelector('tr:not(.voided):has([data-paddle])'));
      const row = addRow(bid, bid.amount, bidderCell(bid));
      row.dataset.bidId = bid.id;
      if (isMine(bid)) markMine(row);
      const price = bid.lot?.current_bid;
      if (bid.outcome === 'outbid' && typeof price === 'string') {
        const answer = addRow(bid, price, automaticCell(leader));
        if (leader !== null && leader === own) answer.classList.add('mine');
      }
      while (rows.children.length > MAX_ROWS) rows.lastElementChild.remove();
      return true;
    },
  };
}
