import { failure, type Failure, type FailureCode } from '@assay/contracts/models';
import { CommandFailure } from '../command-failure.js';
import { failureText } from '../format/model-text.js';

/**
 * Returns the refusal that the server would give, as a CommandFailure. `log` is the end of the
 * model's output.
 */
export function checkRefusal(found: Failure, log = ''): CommandFailure {
  const wrote = log.trim() === '' ? '' : `\n\nThe end of the model's log:\n${log.trimEnd().slice(-4000)}`;
  return new CommandFailure('checkFailed', found.code, `${failureText(found)}${wrote}`, {
    failure: found,
    ...(log !== '' && { log }),
  });
}

export const refused = (code: FailureCode, message: string, log = ''): CommandFailure =>
  checkRefusal(failure(code, message), log);
