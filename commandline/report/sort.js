for (const table of document.querySelectorAll('table.sorts')) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (head.tagName !== 'TH') {
      return;
    }
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    head.append(button);
    const keyOf = (row) => {
      const text = row.cells[column].dataset.key ?? row.cells[column].textContent;
      return text === '' || isNaN(text.replaceAll(',', '')) ? text : Number(text.replaceAll(',', ''));
    };
    button.addEventListener('click', () => {
      const isDown = head.hasAttribute('aria-sort') ? head.getAttribute('aria-sort') === 'ascending' : head.className === 'number';
      heads.forEach((one) => one.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', isDown ? 'descending' : 'ascending');
      table.tBodies[0].append(...[...table.tBodies[0].rows].sort((one, other) => {
        const [a, b] = [keyOf(one), keyOf(other)];
        const way = typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en');
        return isDown ? -way : way;
      }));
    });
  });
}
