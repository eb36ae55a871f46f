import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InferenceSession } from 'onnxruntime-node';
import { NEWEST_FORMAT, NEWEST_OPSETS, readOnnxModel } from './onnx-model.js';
import { encode, FLOAT, model, type Part } from './onnx-model-fixture.js';

describe('readOnnxModel', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'onnx-model-'));
    path = join(folder, 'model.onnx');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const read = () => readOnnxModel(path, new Map());

  it('reads no file that is larger than a message can be', () => {
    writeFileSync(path, model());
    truncateSync(path, 2 ** 31);
    expect(read).toThrow('model.onnx has 2147483648 bytes; the limit is 2147483647. Store its weights as');

    truncateSync(path, 2 ** 31 - 1);
    // what follows is no field
    expect(read).toThrow('model.onnx is not an ONNX model: at byte');
  });

  it('reads four million fields, and no more', () => {
    // the field model_version, which may repeat
    const fields = Buffer.alloc(2 * 4_000_001, Buffer.from([0x28, 0x07]));
    writeFileSync(path, fields);
    expect(read).toThrow('model.onnx has more than 4000000 fields.');

    writeFileSync(path, fields.subarray(2));
    expect(read).toThrow('it has no graph');
  });

  describe('as ONNX Runtime does', () => {
    const loads = (bytes: Buffer): Promise<boolean> =>
      InferenceSession.create(bytes).then(
        () => true,
        () => false,
      );
    const accepts = (bytes: Buffer): boolean => {
      writeFileSync(path, bytes);
      try {
        read();
        return true;
      } catch {
        return false;
      }
    };

    it.each(['', 'ai.onnx.ml', 'com.microsoft'])('takes the newest operators of "%s", and no newer', async (domain) => {
      for (const [version, expected] of [
        [NEWEST_OPSETS[domain]!, true],
        [NEWEST_OPSETS[domain]! + 1, false],
      ] as const) {
        const bytes = identity({ operators: [[domain, version]] });
        expect([version, await loads(bytes), accepts(bytes)]).toEqual([version, expected, expected]);
      }
    });

    it('takes the newest format, and no newer', async () => {
      for (const [format, expected] of [
        [NEWEST_FORMAT, true],
        [NEWEST_FORMAT + 1, false],
      ] as const) {
        const bytes = identity({ format });
        expect([format, await loads(bytes), accepts(bytes)]).toEqual([format, expected, expected]);
      }
    });

    it.each([
      ['one that calls itself', [['F', 'F']], false],
      [
        'two that call each other',
        [
          ['F', 'G'],
          ['G', 'F'],
        ],
        false,
      ],
      [
        'one that calls another twice',
        [
          ['F', 'G', 'G'],
          ['G', 'Identity'],
        ],
        true,
      ],
    ] as const)('takes functions unless they are recursive: %s', async (_, functions, expected) => {
      const bytes = identity({ functions });
      expect([await loads(bytes), accepts(bytes)]).toEqual([expected, expected]);
    });
  });
});

const OWN = 'com.microsoft';

/**
 * Returns a model that a runtime can load: y = x, or y = F(x) with functions.
 * @param given.functions The name of each function, and of the operators that it applies in turn.
 */
function identity(given: {
  readonly format?: number;
  readonly operators?: readonly (readonly [domain: string, version: number])[];
  readonly functions?: readonly (readonly string[])[];
}): Buffer {
  const { format = 8, functions = [] } = given;
  const operators = new Map([['', 17], [OWN, 1], ...(given.operators ?? [])]);
  const isOwn = (operator: string): boolean => functions.some(([name]) => name === operator);
  const node = (operator: string, from: string, to: string): Part[] => [
    [1, from],
    [2, to],
    [4, operator],
    ...(isOwn(operator) ? [[7, OWN] as const] : []),
  ];
  const sets = (field: number): Part[] =>
    [...operators].map(([domain, version]): Part => [
      field,
      [
        [1, domain],
        [2, version],
      ],
    ]);
  const value = (name: string): Part[] => [
    [1, name],
    [
      2,
      [
        [
          1,
          [
            [1, FLOAT],
            [2, [[1, [[1, 2]]]]],
          ],
        ],
      ],
    ],
  ];
  const functionOf = ([name, ...applied]: readonly string[]): Part[] => [
    [1, name!],
    [4, 'v0'],
    [5, `v${applied.length}`],
    ...applied.map((operator, at): Part => [7, node(operator, `v${at}`, `v${at + 1}`)]),
    ...sets(9),
    [10, OWN],
  ];
  return encode([
    [1, format],
    [
      7,
      [
        [1, node(functions[0]?.[0] ?? 'Identity', 'x', 'y')],
        [2, 'graph'],
        [11, value('x')],
        [12, value('y')],
      ],
    ],
    ...sets(8),
    ...functions.map((each): Part => [25, functionOf(each)]),
  ]);
}
