import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Adapter, LibraryClient } from '../fourConsents.ts'
import type { NodeLibrary } from '../libraries.ts'
import { type Program, startProgram } from './program.ts'

const preload = pathToFileURL(resolve(import.meta.dirname, '../../support/movedClock.ts')).href

/** Starts a process that runs adapters one after the other, and whose clock is moved by this many minutes. */
export const startWithMovedClock = (minutes: number): Program =>
  startProgram(process.execPath, ['--import', preload, join(import.meta.dirname, 'serveAdapters.ts')], {
    MOVED_CLOCK_MINUTES: String(minutes),
  })

/** Creates an adapter that runs the adapter of a library in such a process. */
export const runIn =
  ({ run }: Program, { id, flows }: NodeLibrary): Adapter =>
  async (site) => {
    await run('start', JSON.stringify({ id, site }))
    let credentials: LibraryClient['credentials'] = await run('credentials')
    return {
      get credentials() {
        return credentials
      },
      async begin(scope) {
        const address: string = await run('begin', scope)
        credentials = await run('credentials')
        return address
      },
      finish: ({ href }) => run('finish', href),
      tokens: () => run('tokens'),
      ...(flows.includes('API call') && { call: (url: string) => run<number>('call', url) }),
      ...(flows.includes('refresh') && { refresh: () => run('refresh') }),
      ...(flows.includes('revocation') && { revoke: () => run('revoke') }),
      ...(flows.includes('sign-out') && { signOut: () => run<string>('signOut') }),
      stop: () => run('stop'),
    }
  }
