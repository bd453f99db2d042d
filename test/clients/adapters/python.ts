import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Adapter, LibraryClient, Tokens } from '../fourConsents.ts'

/** The Python whose packages are those of Debian. */
const python = process.env.TEST_PYTHON ?? '/usr/bin/python3'

const pythonProgram =
  (file: string): Adapter =>
  ({ issuer, clientId, clientSecret, redirectUri }) => {
    const child = spawn(python, [join(import.meta.dirname, file)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: {
        PATH: process.env.PATH,
        ...{ ISSUER: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, REDIRECT_URI: redirectUri },
        // The service of the test has no TLS.
        ...{ AUTHLIB_INSECURE_TRANSPORT: '1', OAUTHLIB_INSECURE_TRANSPORT: '1' },
        // Without it, oauthlib raises an error when a person grants less than was requested.
        OAUTHLIB_RELAX_TOKEN_SCOPE: '1',
      },
    })
    const ended = once(child, 'close')
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const run = async <Result>(command: string, value = ''): Promise<Result> => {
      child.stdin.write(`${JSON.stringify({ command, value })}\n`)
      const { value: line, done } = await lines.next()
      if (done) throw new Error(`${file} ended`)
      const { result, error } = JSON.parse(line)
      if (error !== undefined) throw new Error(error)
      return result
    }
    return {
      credentials: { clientId, clientSecret, redirectUri },
      begin: (scope) => run('begin', scope),
      finish: ({ href }) => run('finish', href),
      tokens: () => run<Tokens>('tokens'),
      call: (url) => run('call', url),
      refresh: () => run('refresh'),
      revoke: () => run('revoke'),
      async stop() {
        child.stdin.end()
        await ended
      },
    }
  }

/** Authlib, which repeats the requested scope at a refresh. */
export const authlib = pythonProgram('authlibSession.py')

/** requests-oauthlib, which repeats the requested scope at a refresh, and does not revoke. */
export const requestsOauthlib: Adapter = async (site) => {
  const { revoke: _, ...client }: LibraryClient = await pythonProgram('requestsOauthlibSession.py')(site)
  return client
}
