import { afterEach, describe, expect, it } from '@jest/globals';
import { EMPTY_DRAFT, keepDraft, readDraft, submissionOf, words } from './submission-draft.js';

describe('a draft', () => {
  afterEach(() => sessionStorage.clear());

  it('is kept by task', () => {
    const draft = { ...EMPTY_DRAFT, name: 'Small BERT', kind: 'onnx' as const };
    keepDraft('nli', draft);
    expect([readDraft('nli'), readDraft('qa')]).toEqual([draft, EMPTY_DRAFT]);
  });

  it('is empty where what was kept cannot be read', () => {
    sessionStorage.setItem('submission nli', '{');
    expect(readDraft('nli')).toEqual(EMPTY_DRAFT);
  });

  it('becomes what the API takes', () => {
    const draft = { ...EMPTY_DRAFT, name: ' M ', trainedOn: 'mnli\n\n snli ', command: 'serve --workers 2' };
    expect(submissionOf(draft)).toEqual({
      name: 'M',
      kind: 'container',
      description: '',
      card: '',
      trainedOn: ['mnli', 'snli'],
      publish: true,
      allowForeignEvaluators: false,
      command: ['serve', '--workers', '2'],
    });
    expect(submissionOf({ ...draft, kind: 'predictions' })).not.toHaveProperty('allowForeignEvaluators');
    expect(submissionOf({ ...draft, derivedFrom: ' a\n\nb' }).derivedFrom).toEqual(['a', 'b']);
    expect(submissionOf({ ...draft, kind: 'onnx' })).not.toHaveProperty('command');
    expect(submissionOf({ ...draft, command: ' ' })).not.toHaveProperty('command');
  });
});

describe('words', () => {
  it.each([
    ['serve', ['serve']],
    [`python -c "print('a b')"`, ['python', '-c', "print('a b')"]],
    [`--name='two words' x`, ['--name=two words', 'x']],
    ['', []],
  ])('%s', (command, parted) => expect(words(command)).toEqual(parted));
});
