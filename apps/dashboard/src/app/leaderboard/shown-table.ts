import Papa from 'papaparse';

/** A table as text that spreadsheets read, none of whose cells can be a formula. @param rows the header first */
export const tableAsCsv = (rows: readonly (readonly (string | number)[])[]): string =>
  Papa.unparse(
    rows.map((row) => [...row]),
    { escapeFormulae: true, newline: '\n' },
  );
