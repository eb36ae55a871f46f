import { TestBed } from '@angular/core/testing';
import { provideRouter } from '@angular/router';
import type { Evaluation } from '@assay/api-client/angular';
import { describe, expect, it } from '@jest/globals';
import { ModelResults } from './model-results.js';

const EVALUATION = { version: 1, state: 'scored', examples: 40, metrics: {}, measures: {}, slices: {} } as const;

describe('the results of a model', () => {
  it('mark the scores that were signed with a key that is retired', async () => {
    TestBed.configureTestingModule({ providers: [provideRouter([])] });
    const fixture = TestBed.createComponent(ModelResults);
    fixture.componentRef.setInput('evaluations', [
      { ...EVALUATION, dataset: 'one', retiredKey: { keyId: '0'.repeat(16), retiredAt: '2026-02-03T04:05:06.000Z' } },
      { ...EVALUATION, dataset: 'two' },
    ] satisfies Evaluation[]);
    await fixture.whenStable();

    const rows = [...(fixture.nativeElement as HTMLElement).querySelectorAll('tbody th')];
    expect(rows.map(({ textContent }) => textContent.includes('Signed with a key that was retired'))).toEqual([
      true,
      false,
    ]);
  });

  it('name the evaluators of users that answered or measured', async () => {
    TestBed.configureTestingModule({ providers: [provideRouter([])] });
    const fixture = TestBed.createComponent(ModelResults);
    const evaluators = [
      { name: 'gpu-1', owner: 'ada' },
      { name: 'lab', owner: 'ada' },
    ];
    fixture.componentRef.setInput('evaluations', [
      { ...EVALUATION, dataset: 'one', evaluators },
      { ...EVALUATION, dataset: 'two' },
    ] satisfies Evaluation[]);
    await fixture.whenStable();

    const rows = [...(fixture.nativeElement as HTMLElement).querySelectorAll('tbody th')];
    expect(rows[0]!.textContent).toContain('Evaluator gpu-1 (ada), lab (ada)');
    expect(rows[1]!.textContent).not.toContain('Evaluator');
  });

  it('count the labels that are not the most probable ones', async () => {
    TestBed.configureTestingModule({ providers: [provideRouter([])] });
    const fixture = TestBed.createComponent(ModelResults);
    fixture.componentRef.setInput('evaluations', [
      { ...EVALUATION, dataset: 'one', examples: 3728, labelDiffers: 212 },
      { ...EVALUATION, dataset: 'two', labelDiffers: 0 },
    ] satisfies Evaluation[]);
    await fixture.whenStable();

    const rows = [...(fixture.nativeElement as HTMLElement).querySelectorAll('tbody th')];
    const texts = rows.map(({ textContent }) => textContent.replaceAll(/\s+/g, ' '));
    expect(texts[0]).toContain('label differs from the top probability in 212 of 3,728');
    expect(texts[1]).not.toContain('label differs');
  });
});
