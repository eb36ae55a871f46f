import Papa from 'papaparse';

/**
 * The characters that start a formula in some spreadsheet, including full-width forms. The CSV of
 * the API escapes the same ones.
 */
const FORMULA = /^[=+\-@\t\r\0\uFF1D\uFF0B\uFF0D\uFF20]/;

/**
 * Formats a table as CSV in which no text can run as a formula.
 * @param rows the header first
 */
export const tableAsCsv = (rows: readonly (readonly (string | number)[])[]): string =>
  Papa.unparse(
    rows.map((row) => [...row]),
    { escapeFormulae: FORMULA, newline: '\n' },
  );
