/** The exit codes. They are stable: scripts may rely on them. */
export const EXIT_CODES = {
  done: 0,
  unexpected: 1,
  usage: 2,
  refused: 3,
  modelFailed: 4,
  unreachable: 5,
  checkFailed: 6,
  noEngine: 7,
  verificationFailed: 8,
  interrupted: 130,
} as const;
/** How a command ends. */
export type Ending = keyof typeof EXIT_CODES;

const MEANINGS: Readonly<Record<Ending, string>> = {
  done: 'done',
  unexpected: 'unexpected error, in the CLI or the server',
  usage: 'usage error, or the file does not exist',
  refused: 'the server refused the request (HTTP 4xx)',
  modelFailed: 'the model failed, or its evaluation was cancelled',
  unreachable: 'the server does not answer, or is temporarily unavailable',
  checkFailed: 'assay check found something that the server would refuse',
  noEngine: 'no Docker engine can be used on this machine',
  verificationFailed: 'assay verify found a file that differs from what was signed',
  interrupted: 'interrupted (Ctrl-C); the evaluation continues',
};

/** Returns the table of exit codes for a help page. */
export function exitCodesText(): string {
  const lines = Object.entries(MEANINGS).map(
    ([ending, meaning]) => `  ${String(EXIT_CODES[ending as Ending]).padStart(3)}  ${meaning}`,
  );
  return ['Exit codes:', ...lines].join('\n');
}
