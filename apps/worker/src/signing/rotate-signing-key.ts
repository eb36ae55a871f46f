// `assay admin rotate-signing-key`, on the machine of the worker.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runOperatorCommand } from '@assay/observability';
import { type RotatedKey, rotateSigningKey } from './signing-keys-file.js';

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });

await runOperatorCommand(
  values.json ? 'json' : 'text',
  () => rotateSigningKey(resolve(process.env['ASSAY_HOME'] || '.assay')),
  ({ keyId, retired }: RotatedKey) =>
    `Results are signed with the key ${keyId} from now on. The key ${retired.keyId} is retired.`,
);
