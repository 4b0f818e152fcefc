/** A button on each piece of code that copies it. */
import { words } from './words.js';

for (const block of document.querySelectorAll('.guide pre, .reference pre')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button quiet small';
  button.textContent = words('Copy');
  button.addEventListener('click', async () => {
    button.textContent = (await copied(block)) ? words('Copied') : words('Press Ctrl+C');
    setTimeout(() => {
      button.textContent = words('Copy');
    }, 2_000);
  });
  const caption = block.parentElement.querySelector(':scope > figcaption');
  if (caption) caption.append(button);
  else {
    const frame = document.createElement('div');
    frame.className = 'copied';
    block.replaceWith(frame);
    frame.append(block, button);
  }
}

/** Without the clipboard (as over plain HTTP) the code is selected instead. */
async function copied(block) {
  try {
    await navigator.clipboard.writeText(block.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(block);
    return false;
  }
}
