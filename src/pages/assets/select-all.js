/** The box in a table's head that ticks those of all its rows. */
for (const all of document.querySelectorAll('[data-select-all]')) {
  const boxes = [...all.closest('table').querySelectorAll('tbody input[type="checkbox"]')];
  all.hidden = false;
  all.addEventListener('change', () => {
    for (const box of boxes) box.checked = all.checked;
  });
}
