import type { BackgroundTasks } from '../lib/backgroundTasks.ts'
import type { Log } from '../lib/log.ts'

/** Leaves work for the time after the answer. What it is about has happened: where too much is waiting it is dropped, and logged by its name. */
export const createEnqueue =
  ({ backgroundTasks, log }: { backgroundTasks: BackgroundTasks; log: Log }) =>
  (name: string, work: () => Promise<void>, about: { school?: string } = {}): void => {
    try {
      backgroundTasks.run(name, work)
    } catch (error) {
      log.error({ err: error, task: name, ...about }, 'background queue full, task dropped')
    }
  }

export type Enqueue = ReturnType<typeof createEnqueue>
