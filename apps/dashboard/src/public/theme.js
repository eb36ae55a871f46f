// before the first paint, so that a page in the chosen theme does not flash in the other
try {
  const theme = localStorage.getItem('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // without storage the system's theme holds
}
