import type { Progress } from './services/progress.js';

export interface DemoPlan {
  /** `ASSAY_HOME`: the administrator's token lies in it. */
  readonly home: string;
  /** Of the API, without a slash at the end. */
  readonly address: string;
}

/** Seeds */
export async function demonstrate(plan: DemoPlan, progress: Progress): Promise<void> {
  await progress.step('demo', async () => {
    void plan;
  });
}
