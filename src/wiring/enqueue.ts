import type { BackgroundTasks } from '../lib/backgroundTasks.ts'
import type { Log } from '../lib/log.ts'

/** Enqueues a task that runs after the response. If the queue is full, the task is dropped and its name is logged. */
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
