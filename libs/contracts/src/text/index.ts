// For: numbers, quantities and names as text.
export { formatBytes, GIB, QueryFlag } from './quantity.js';
export { count, metricValue, metricWords, percent, pValue, shownUnit, threeDigits } from './shown-number.js';
