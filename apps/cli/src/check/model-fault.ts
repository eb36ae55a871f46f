import { failure, type Failure } from '@assay/contracts/models';
import { formatBytes } from '@assay/contracts/text';
import type { ModelFault } from '@assay/sandbox';

/**
 * Describes for the builder how a model ended or failed to answer. `when` begins the sentence, such
 * as "During startup,".
 */
export function faultFailure(fault: ModelFault, when: string): Failure {
  switch (fault.kind) {
    case 'exited':
      return failure('model_exited', `${when} it exited with code ${fault.code}${signalText(fault.signal)}.`);
    case 'exceeded':
      return exceeded(fault, when);
    case 'never-ready':
      return failure('never_ready', `It was not ready within ${fault.seconds} s${fault.why && `: ${fault.why}`}.`);
    case 'status':
      return failure(
        'http_status',
        `${when} it answered POST /invocations with the status ${fault.status}: ${fault.body.trim().slice(0, 500)}`,
      );
    case 'redirected':
      return failure('redirected', `${when} it answered POST /invocations with the redirect ${fault.status}.`);
    case 'encoded':
      return failure('response_encoded', `${when} it answered with the content-encoding "${fault.encoding}".`);
    case 'disconnected':
      return failure('connection_lost', `${when} the connection was lost: ${fault.why}.`);
  }
}

function exceeded({ limit, amount }: Extract<ModelFault, { kind: 'exceeded' }>, when: string): Failure {
  switch (limit) {
    case 'memory':
      return failure('out_of_memory', `${when} it used up all ${formatBytes(amount)} of memory.`);
    case 'time':
      return failure('request_timeout', `${when} a request was not answered within ${amount / 1000} s.`);
    case 'output':
      return failure('response_too_large', `${when} an answer exceeded the limit of ${formatBytes(amount)}.`);
  }
}

const signalText = (signal: string | undefined): string => (signal === undefined ? '' : ` (${signal})`);
