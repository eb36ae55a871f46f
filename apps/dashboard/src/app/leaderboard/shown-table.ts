import Papa from 'papaparse';

/** What begins a formula somewhere, as in the tables of the API: full-width forms too. */
const FORMULA = /^[=+\-@\t\r\0\uFF1D\uFF0B\uFF0D\uFF20]/;

/** A table as text that spreadsheets read, none of whose cells can be a formula. @param rows the header first */
export const tableAsCsv = (rows: readonly (readonly (string | number)[])[]): string =>
  Papa.unparse(
    rows.map((row) => [...row]),
    { escapeFormulae: FORMULA, newline: '\n' },
  );
