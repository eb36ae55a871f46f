// For: boards as JSON, CSV and LaTeX.
export { boardTable } from './board-table.js';
export { compareMatrixTable, compareTable } from './compare-table.js';
export { CSV_MEDIA_TYPE, csvOf } from './csv.js';
export { LATEX_MEDIA_TYPE, latexOf } from './latex.js';
export type { Table } from './table.js';
export {
  CONTENT_ENCODINGS,
  type ContentEncoding,
  bodyOf,
  encodedBody,
  etagOf,
  jsonBody,
  type ResponseBody,
} from './encoded-body.js';
