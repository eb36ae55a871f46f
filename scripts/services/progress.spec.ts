import { describe, expect, it } from '@jest/globals';
import { Progress } from './progress.js';

describe('the progress of a start', () => {
  const started = (): { readonly progress: Progress; readonly text: () => string } => {
    let text = '';
    let now = 0;
    return {
      progress: new Progress(
        (more) => (text += more),
        () => (now += 1500),
      ),
      text: () => text,
    };
  };

  it('tells each step with its detail and duration on one line', async () => {
    const { progress, text } = started();

    await progress.step('Building', (detail) => {
      detail('api and cli');
      return Promise.resolve();
    });

    expect(text()).toBe('Building … api and cli, 1.5 s\n');
  });

  it('names the step again when something was said in between', async () => {
    const { progress, text } = started();

    await progress.step('Docker', () => {
      progress.say('No engine answers: installing docker.io.');
      return Promise.resolve();
    });

    expect(text()).toBe('Docker … \nNo engine answers: installing docker.io.\nDocker: 1.5 s\n');
  });

  it('begins a line of its own for a step that breaks in on another', async () => {
    const { progress, text } = started();

    void progress.step('Building', () => new Promise(() => undefined));
    await progress.step('Stopping', () => Promise.resolve());

    expect(text()).toBe('Building … \nStopping … 1.5 s\n');
  });

  it('says that a step failed, and lets the error through', async () => {
    const { progress, text } = started();

    await expect(progress.step('Building', () => Promise.reject(new Error('no')))).rejects.toThrow('no');

    expect(text()).toBe('Building … failed after 1.5 s\n');
  });
});
