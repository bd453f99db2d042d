/** A program: runs the adapter that the command `start` names, one command for each line of JSON. */
import { createInterface } from 'node:readline'
import { inspect } from 'node:util'
import type { Adapter, LibraryClient } from '../fourConsents.ts'
import { nodeAdapters } from './nodeAdapters.ts'

const adapters: Record<string, Adapter | undefined> = nodeAdapters
let client: LibraryClient | undefined

const commands: Record<string, (value: string) => unknown> = {
  async start(value) {
    const { id, site } = JSON.parse(value)
    client = await adapters[id]?.(site)
  },
  credentials: () => client?.credentials,
  begin: (scope) => client?.begin(scope),
  finish: (href) => client?.finish(new URL(href)),
  tokens: () => client?.tokens(),
  call: (url) => client?.call?.(url),
  // Their results have members that JSON does not know.
  refresh: async () => void (await client?.refresh?.()),
  revoke: async () => void (await client?.revoke?.()),
  signOut: () => client?.signOut?.(),
  stop: async () => void (await client?.stop?.()),
}

for await (const line of createInterface({ input: process.stdin })) {
  const { command, value } = JSON.parse(line)
  const answer = await Promise.resolve(value)
    .then((given) => commands[command]?.(given))
    .then(
      (result) => ({ result }),
      (error: unknown) => ({ error: inspect(error, { depth: 6 }) }),
    )
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
