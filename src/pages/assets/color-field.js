/** A colour that is typed can be chosen as well; each follows the other. */
for (const picker of document.querySelectorAll('[data-color-of]')) {
  const field = document.getElementById(picker.dataset.colorOf);
  const follow = () => {
    if (/^#[0-9a-f]{6}$/i.test(field.value)) picker.value = field.value;
  };
  follow();
  picker.hidden = false;
  field.addEventListener('input', follow);
  picker.addEventListener('input', () => {
    field.value = picker.value;
  });
}
