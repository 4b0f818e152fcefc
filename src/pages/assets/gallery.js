/** Pictures of a lot: a thumbnail changes the large one, the large one opens full size, arrow keys go on in both. */

const gallery = document.querySelector('[data-gallery]');
const stage = gallery?.querySelector('[data-stage]');
const thumbs = [...(gallery?.querySelectorAll('[data-thumb]') ?? [])];
const viewer = gallery?.querySelector('[data-viewer]');
let at = 0;

function show(index) {
  if (thumbs.length === 0) return;
  at = (index + thumbs.length) % thumbs.length;
  thumbs.forEach((thumb, position) => {
    if (position === at) thumb.setAttribute('aria-current', 'true');
    else thumb.removeAttribute('aria-current');
  });
  const image = stage.querySelector('img');
  image.srcset = thumbs[at].dataset.srcset;
  image.src = thumbs[at].href;
  stage.href = thumbs[at].href;
  if (viewer.open) viewer.querySelector('img').src = stage.href;
}

export function startGallery() {
  if (!stage) return;
  thumbs.forEach((thumb, index) => {
    thumb.addEventListener('click', (event) => {
      event.preventDefault();
      show(index);
    });
  });
  stage.addEventListener('click', (event) => {
    event.preventDefault();
    viewer.querySelector('img').src = stage.href;
    viewer.showModal();
  });
  for (const [name, step] of [
    ['back', -1],
    ['forth', 1],
  ]) {
    const button = viewer.querySelector(`[data-${name}]`);
    button.hidden = thumbs.length < 2;
    button.addEventListener('click', () => show(at + step));
  }
  viewer.querySelector('[data-close]').addEventListener('click', () => viewer.close());
  gallery.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowRight') show(at + 1);
    else if (event.key === 'ArrowLeft') show(at - 1);
  });
}
