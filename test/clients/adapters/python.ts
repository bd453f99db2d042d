import { join } from 'node:path'
import type { Adapter, LibraryClient, Tokens } from '../fourConsents.ts'
import { startProgram } from './program.ts'

/** The Python whose packages are those of Debian. */
const python = process.env.TEST_PYTHON ?? '/usr/bin/python3'

/** Creates an adapter of a program whose clock is fast by this many minutes. */
type PythonAdapter = (minutes?: number) => Adapter

const pythonProgram =
  (file: string): PythonAdapter =>
  (minutes = 0) =>
  ({ issuer, clientId, clientSecret, redirectUri }) => {
    const { run, stop } = startProgram(python, [join(import.meta.dirname, 'movedClock.py'), join(import.meta.dirname, file)], {
      ...{ ISSUER: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, REDIRECT_URI: redirectUri },
      MOVED_CLOCK_MINUTES: String(minutes),
      // The service of the test has no TLS.
      ...{ AUTHLIB_INSECURE_TRANSPORT: '1', OAUTHLIB_INSECURE_TRANSPORT: '1' },
      // Without it, oauthlib raises an error when a person grants less than was requested.
      OAUTHLIB_RELAX_TOKEN_SCOPE: '1',
    })
    return {
      credentials: { clientId, clientSecret, redirectUri },
      begin: (scope) => run('begin', scope),
      finish: ({ href }) => run('finish', href),
      tokens: () => run<Tokens>('tokens'),
      call: (url) => run('call', url),
      refresh: () => run('refresh'),
      revoke: () => run('revoke'),
      stop,
    }
  }

/** Authlib, which repeats the requested scope at a refresh. */
export const authlib = pythonProgram('authlibSession.py')

/** requests-oauthlib, which repeats the requested scope at a refresh, and does not revoke. */
export const requestsOauthlib: PythonAdapter = (minutes) => async (site) => {
  const { revoke: _, ...client }: LibraryClient = await pythonProgram('requestsOauthlibSession.py')(minutes)(site)
  return client
}
