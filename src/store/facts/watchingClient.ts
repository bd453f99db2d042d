import type { Client } from 'pg'
import { overrideQuery } from '../overrideQuery.ts'
import type { ConnectionWatch, FactGuard } from './factGuard.ts'

/** Ends a transaction and keeps its changes. */
const commits = /^\s*(?:commit|end)\b/i

/** Returns the class of a connection whose changes of facts are marked: see `FactGuard`. */
export function watchingClient(base: typeof Client, guard: FactGuard): typeof Client {
  const watches = new WeakMap<Client, ConnectionWatch>()
  class WatchingClient extends base {
    constructor(...config: ConstructorParameters<typeof Client>) {
      super(...config)
      const watch = guard.watch()
      watches.set(this, watch)
      this.on('notice', (message) => watch.note(message))
    }
  }
  overrideQuery(
    WatchingClient,
    (send) =>
      function query(...sent) {
        const watch = watches.get(this)
        if (!watch) return send.apply(this, sent)
        if (!watch.isEmpty && commits.test(textOf(sent[0]))) return commit(watch, async () => send.apply(this, sent))
        const wasInside = isInside(this)
        const named = watch.named()
        const sending = send.apply(this, sent)
        if (!(sending instanceof Promise)) return sending
        return sending.then(
          (result: unknown) => {
            guard.answered()
            if (watch.isEmpty || isInside(this)) return result
            if (!wasInside) return watch.settle(named).then(() => result)
            // A rollback.
            watch.forget()
            return result
          },
          (error: unknown) => {
            guard.answered()
            if (!isInside(this)) watch.forget()
            throw error
          },
        )
      },
  )
  return WatchingClient
}

async function commit(watch: ConnectionWatch, send: () => Promise<unknown>): Promise<unknown> {
  const change = await watch.begin()
  const result = await send()
  await change.end()
  return result
}

const isInside = (client: Client): boolean => client.getTransactionStatus() !== 'I'

function textOf(statement: unknown): string {
  if (typeof statement === 'string') return statement
  return typeof statement === 'object' && statement !== null && 'text' in statement ? String(statement.text) : ''
}
