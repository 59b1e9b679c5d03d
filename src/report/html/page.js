'use strict';
(() => {
  const root = document.documentElement;
  const folds = () => [...document.querySelectorAll('details')];
  const stops = [...document.querySelectorAll('article.card, ul.notes > li')];
  let at = -1;

  function go(step) {
    if (stops.length === 0) return;
    at = Math.min(Math.max(at + step, 0), stops.length - 1);
    const stop = stops[at];
    stop.tabIndex = -1;
    stop.focus({ preventScroll: true });
    stop.scrollIntoView({ block: 'start' });
  }

  function unfold() {
    const open = folds().some((fold) => !fold.open);
    for (const fold of folds()) fold.open = open;
    button.textContent = open ? 'Fold all' : 'Unfold all';
  }

  const button = document.getElementById('unfold');
  const theme = document.getElementById('theme');
  for (const id of ['unfold', 'theme', 'keys']) document.getElementById(id).hidden = false;
  button.addEventListener('click', unfold);
  theme.addEventListener('click', () => {
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    const now = root.dataset.theme ?? (dark ? 'dark' : 'light');
    root.dataset.theme = now === 'dark' ? 'light' : 'dark';
  });

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'j') go(1);
    else if (event.key === 'k') go(-1);
    else if (event.key === 'e') unfold();
  });

  // A fold that a link points into is opened; on paper everything is.
  function reveal() {
    const target = document.getElementById(location.hash.slice(1));
    for (let node = target; node; node = node.parentElement) if (node.tagName === 'DETAILS') node.open = true;
    target?.querySelector(':scope > details')?.setAttribute('open', '');
    if (target) at = stops.indexOf(target);
  }
  addEventListener('hashchange', reveal);
  reveal();
  addEventListener('beforeprint', () => folds().forEach((fold) => (fold.open = true)));
})();
