import { errorCode } from '../../base/log/errorCode.ts'
import { isLostConnection } from '../../base/process/outage.ts'

export interface NaturalBatches<Item, Result> {
  /** Runs one item. It is also called for items that a batch left undecided, and for each item of a batch that failed. */
  alone(item: Item): Promise<Result>
  /** Runs several items in one statement, all or nothing. Returns their results in the same order, undefined for those left undecided. */
  together(items: readonly Item[]): Promise<(Result | undefined)[]>
}

interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/** A larger batch saves little, and its items would wait for each other. */
const maxItems = 64
/** A batch that takes longer, such as one that waits for a lock, does not delay those after it. */
const timeoutMs = 50

/**
 * Combines work into natural batches: an item that arrives while nothing runs starts alone, and those that arrive while it runs form the next
 * batch. So nothing waits for others to come, and the busier the process, the fewer statements and commits. If a batch fails, each of its
 * items runs alone, unless the database did not respond: the batch may have been committed.
 */
export function naturalBatches<Item, Result>(work: NaturalBatches<Item, Result>): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = []
  let running = 0
  let timer: NodeJS.Timeout | undefined

  const start = (): void => {
    clearTimeout(timer)
    timer = undefined
    const batch = waiting.splice(0, maxItems)
    running += 1
    void run(work, batch).then(() => {
      running -= 1
      if (waiting.length > 0) start()
    })
    if (waiting.length > 0) wait()
  }
  const wait = (): void => {
    timer ??= setTimeout(start, timeoutMs)
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (running === 0) start()
      else wait()
    })
}

/** Settles every item of the batch. Never rejects. */
async function run<Item, Result>(work: NaturalBatches<Item, Result>, batch: readonly Waiting<Item, Result>[]): Promise<void> {
  const alone = ({ item, resolve, reject }: Waiting<Item, Result>): Promise<void> => work.alone(item).then(resolve, reject)
  if (batch.length === 1) {
    await Promise.all(batch.map(alone))
    return
  }
  try {
    const results = await work.together(batch.map(({ item }) => item))
    const undecided = batch.filter(({ resolve }, at) => {
      const result = results[at]
      if (result !== undefined) resolve(result)
      return result === undefined
    })
    await Promise.all(undecided.map(alone))
  } catch (error) {
    if (isLostConnection(error) || errorCode(error) === 'ESTORE') for (const { reject } of batch) reject(error)
    else await Promise.all(batch.map(alone))
  }
}
