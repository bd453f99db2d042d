import { AsyncLocalStorage } from 'node:async_hooks'

/** Functions to call after the commit of one transaction. */
export type AfterCommit = (() => void)[]

/** Knows whether the running code is inside a transaction of one database. */
export interface TransactionGuard {
  /** @throws Error inside a transaction: `handle` says what was asked for. */
  assertOutside(handle: string): void
  /** Runs `work` as the inside of a transaction. Code that outlives it is outside again. */
  inside<Result>(work: () => Promise<Result>, after?: AfterCommit): Promise<Result>
  /** Runs `work` after the surrounding transaction is committed; immediately outside of a transaction. */
  afterCommit(work: () => void): void
}

/**
 * Creates a guard for one database. The embedded database has one connection: code that requests a second one inside a transaction
 * waits forever. Both databases fail immediately, so that such code fails in every test and not only on a small installation.
 */
export function createTransactionGuard(): TransactionGuard {
  const storage = new AsyncLocalStorage<{ open: boolean; after: AfterCommit }>()
  return {
    assertOutside(handle) {
      if (storage.getStore()?.open) {
        throw new Error(
          `${handle} was used inside a transaction, where it would wait for the transaction that waits for it. ` +
            'Use the writer or the sql that the transaction was given.',
        )
      }
    },
    afterCommit(work) {
      const scope = storage.getStore()
      if (scope?.open) scope.after.push(work)
      else work()
    },
    inside(work, after = []) {
      const scope = { open: true, after }
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
