/** What is kept of a picture, dragged over it: the fields say the same, and are what is sent. */
const frame = document.querySelector('[data-crop]');
const form = document.querySelector('[data-crop-form]');
const sides = ['left', 'right', 'top', 'bottom'];
const box = document.createElement('div');
box.className = 'crop-box';
frame.append(box);
document.querySelector('[data-crop-hint]').hidden = false;

const percent = (side) =>
  Math.min(100, Math.max(0, Number.parseFloat(form.elements[side].value.replace(',', '.')) || 0));

function draw() {
  for (const side of sides) box.style[side] = `${percent(side)}%`;
  box.hidden = sides.every((side) => percent(side) === 0);
}

function at(event) {
  const { left, top, width, height } = frame.getBoundingClientRect();
  const part = (value) => Math.min(1, Math.max(0, value));
  return [part((event.clientX - left) / width), part((event.clientY - top) / height)];
}

let start = null;
frame.addEventListener('pointerdown', (event) => {
  if (event.button !== 0) return;
  event.preventDefault();
  frame.setPointerCapture(event.pointerId);
  start = at(event);
});
frame.addEventListener('pointermove', (event) => {
  if (start === null) return;
  const [x, y] = at(event);
  const kept = {
    left: Math.min(x, start[0]),
    right: 1 - Math.max(x, start[0]),
    top: Math.min(y, start[1]),
    bottom: 1 - Math.max(y, start[1]),
  };
  // A tap is no rectangle.
  if (1 - kept.left - kept.right < 0.02 || 1 - kept.top - kept.bottom < 0.02) return;
  for (const side of sides) form.elements[side].value = (kept[side] * 100).toFixed(1);
  draw();
});
for (const end of ['pointerup', 'pointercancel'])
  frame.addEventListener(end, () => {
    start = null;
  });
form.addEventListener('input', draw);
draw();
