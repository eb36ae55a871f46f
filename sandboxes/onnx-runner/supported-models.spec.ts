import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { InferenceSession } from 'onnxruntime-node';
import { NEWEST_FORMAT, NEWEST_OPSETS, readOnnxModel } from '../../libs/sandbox/src/onnx-bundle/onnx-model.js';
import { encode, FLOAT, type Part } from '../../test/factories/models/onnx-model-parts.js';

describe('the runtime and the admission of models', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'onnx-model-'));
    path = join(folder, 'model.onnx');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const loads = (bytes: Buffer): Promise<boolean> =>
    InferenceSession.create(bytes).then(
      () => true,
      () => false,
    );
  const accepts = (bytes: Buffer): boolean => {
    writeFileSync(path, bytes);
    try {
      readOnnxModel(path, new Map());
      return true;
    } catch {
      return false;
    }
  };

  it.each(['', 'ai.onnx.ml', 'com.microsoft'])(
    'both take the newest operators of "%s", and no newer',
    async (domain) => {
      for (const [version, expected] of [
        [NEWEST_OPSETS[domain]!, true],
        [NEWEST_OPSETS[domain]! + 1, false],
      ] as const) {
        const bytes = identity({ operators: [[domain, version]] });
        expect([version, await loads(bytes), accepts(bytes)]).toEqual([version, expected, expected]);
      }
    },
  );

  it('both take the newest format, and no newer', async () => {
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
  ] as const)('both take functions unless they are recursive: %s', async (_, functions, expected) => {
    const bytes = identity({ functions });
    expect([await loads(bytes), accepts(bytes)]).toEqual([expected, expected]);
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
