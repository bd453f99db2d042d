import { Worker } from 'node:worker_threads'

/** A thread that answers one request after another. */
export interface Thread<Request, Result> {
  /** @throws ThreadFailure if the thread is too busy, too slow, fails or is closed */
  run(request: Request): Promise<Result>
  isStarted(): boolean
  /** Ends the thread. Requests that have no result yet fail. */
  close(): Promise<void>
}

export interface ThreadOptions {
  /** The module that the thread runs. It posts one message for each that it receives. */
  module: URL
  /** How long a request may wait for earlier ones, and then take with the start of the thread. */
  limitMilliseconds: number
  /** The thread ends after this time without a request, which frees memory. */
  idleMilliseconds: number
  /** Requests that may wait for the one that runs. */
  queue: number
  megabytes: number
}

/** Why a thread has no result. The message contains nothing of the request. */
export class ThreadFailure extends Error {
  readonly kind: 'busy' | 'late' | 'failed' | 'closed'

  constructor(kind: ThreadFailure['kind'], message: string) {
    super(message)
    this.name = 'ThreadFailure'
    this.kind = kind
  }
}

interface Task<Request, Result> {
  request: Request
  limit(): void
  settle(outcome: { result: Result } | ThreadFailure): void
}

/** The message of an error could contain the request. */
const failureOf = (error: unknown): ThreadFailure => {
  const name = error instanceof Error ? error.name : 'unknown'
  return new ThreadFailure('failed', `the thread failed: ${error instanceof Error && 'code' in error ? error.code : name}`)
}

/** Describes a thread. The first request starts it. The process can end while the thread exists. */
export function createThread<Request, Result>(options: ThreadOptions): Thread<Request, Result> {
  const { module, limitMilliseconds, idleMilliseconds, queue, megabytes } = options
  let worker: Worker | undefined
  let running: Task<Request, Result> | undefined
  const waiting: Task<Request, Result>[] = []
  let idle: NodeJS.Timeout | undefined

  const stop = async (): Promise<void> => {
    const stopped = worker
    worker = undefined
    await stopped?.terminate()
  }
  const start = (): Worker => {
    // Without the environment, which contains secrets.
    const started = new Worker(module, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: megabytes, maxYoungGenerationSizeMb: 16 },
    })
    const failed = (failure: ThreadFailure): void => {
      if (worker !== started) return
      worker = undefined
      running?.settle(failure)
    }
    started.on('message', (result: Result) => worker === started && running?.settle({ result }))
    started.on('error', (error) => failed(failureOf(error)))
    started.on('exit', () => failed(new ThreadFailure('failed', 'the thread ended')))
    // After the listeners: a listener of messages keeps the process alive.
    started.unref()
    return started
  }
  const advance = (): void => {
    if (running) return
    running = waiting.shift()
    clearTimeout(idle)
    if (!running) {
      idle = setTimeout(() => void stop(), idleMilliseconds).unref()
      return
    }
    running.limit()
    try {
      worker ??= start()
      worker.postMessage(running.request)
    } catch (error) {
      running.settle(failureOf(error))
    }
  }

  return {
    async run(request) {
      if (waiting.length >= queue) throw new ThreadFailure('busy', 'too many requests are waiting for the thread')
      return await new Promise((resolve, reject) => {
        let deadline: NodeJS.Timeout | undefined
        const task: Task<Request, Result> = {
          request,
          limit() {
            clearTimeout(deadline)
            // Keeps the process alive until the result is there: the thread does not.
            deadline = setTimeout(() => {
              const isRunning = running === task
              if (isRunning) void stop()
              task.settle(new ThreadFailure(isRunning ? 'late' : 'busy', 'no result within the time limit'))
            }, limitMilliseconds)
          },
          settle(outcome) {
            clearTimeout(deadline)
            if (running === task) running = undefined
            else waiting.splice(waiting.indexOf(task), 1)
            if (outcome instanceof ThreadFailure) reject(outcome)
            else resolve(outcome.result)
            advance()
          },
        }
        task.limit()
        waiting.push(task)
        advance()
      })
    },
    isStarted: () => worker !== undefined,
    async close() {
      const closed = new ThreadFailure('closed', 'the thread was closed')
      for (const task of [...waiting]) task.settle(closed)
      running?.settle(closed)
      clearTimeout(idle)
      await stop()
    },
  }
}
