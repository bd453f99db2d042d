import { AsyncLocalStorage } from 'node:async_hooks'

/** Knows whether the running code stands inside a transaction of one database. */
export interface TransactionGuard {
  /** @throws Error inside a transaction: `handle` says what was asked for. */
  assertOutside(handle: string): void
  /** Runs `work` as the inside of a transaction. What outlives it stands outside again. */
  inside<Result>(work: () => Promise<Result>): Promise<Result>
}

/**
 * A guard for one database. The embedded database has one connection: whoever asks it for a second one inside a transaction
 * waits for ever. Both databases refuse at once, so that such code fails in every test and not only on a small installation.
 */
export function createTransactionGuard(): TransactionGuard {
  const storage = new AsyncLocalStorage<{ open: boolean }>()
  return {
    assertOutside(handle) {
      if (storage.getStore()?.open) {
        throw new Error(
          `${handle} was used inside a transaction, where it would wait for the transaction that waits for it. ` +
            'Use the writer or the sql that the transaction was given.',
        )
      }
    },
    inside(work) {
      const scope = { open: true }
      return storage.run(scope, async () => {
        try {
          return await work()
        } finally {
          scope.open = false
        }
      })
    },
  }
}
