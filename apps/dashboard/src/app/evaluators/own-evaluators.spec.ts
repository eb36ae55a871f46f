import { TestBed } from '@angular/core/testing';
import { describe, expect, it } from '@jest/globals';
import { OwnEvaluators } from './own-evaluators.js';

describe('the mark of a model that evaluators of users ran', () => {
  async function shown(evaluators: readonly { readonly name: string; readonly owner: string }[]): Promise<HTMLElement> {
    const fixture = TestBed.createComponent(OwnEvaluators);
    fixture.componentRef.setInput('evaluators', evaluators);
    await fixture.whenStable();
    return fixture.nativeElement as HTMLElement;
  }

  it('names them in a tooltip and to screen readers', async () => {
    const mark = await shown([
      { name: 'gpu-1', owner: 'ada' },
      { name: 'lab', owner: 'ada' },
    ]);

    expect(mark.querySelector('[title]')!.getAttribute('title')).toMatch(
      /^run on gpu-1 \(ada\), lab \(ada\)\n.*cannot verify/,
    );
    expect(mark.querySelector('[aria-hidden]')!.textContent).toBe('⌂');
    expect(mark.querySelector('.visually-hidden')!.textContent).toBe('run on gpu-1 (ada), lab (ada),');
  });

  it('is absent if only evaluators of the service did', async () => {
    expect((await shown([])).textContent.trim()).toBe('');
  });
});
