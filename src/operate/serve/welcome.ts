import { paths } from '../../agents/schoolFacts.ts'
import { accountPaths } from '../../base/accountPaths.ts'
import { endpoints } from '../../identity/oidc/endpoints.ts'
import type { Started } from './start.ts'

const maxListed = 20

/** Returns the details of the log line of a ready service. They say where the demo password is, and do not contain it. */
export function readyDetails({ app, demo }: Pick<Started, 'app' | 'demo'>): Record<string, unknown> {
  const issuers = app.schools.all.map(({ school }) => school.issuer)
  return {
    schools: issuers.length,
    issuers: issuers.slice(0, maxListed),
    ...(demo ? { demo: { issuer: demo.issuer, password_in: demo.passwordIn } } : {}),
  }
}

/**
 * Returns the welcome text for people who try the service. It does not repeat a password from the environment. Its commands are printed
 * for the shell and work on any port.
 */
export function welcome(
  { app, demo, outbox }: Pick<Started, 'app' | 'demo' | 'outbox'>,
  { isQuiet = false }: { isQuiet?: boolean } = {},
): string {
  const issuers = app.schools.all.map(({ school }) => school.issuer)
  const base = demo?.issuer ?? issuers[0] ?? ''
  const metadata = JSON.stringify({ client_name: 'My first agent', redirect_uris: ['http://127.0.0.1:8765/callback'] })
  const pages = [
    ['/', 'home page of the school'],
    [accountPaths.home, 'sign in and manage the account'],
    [paths.reference, 'API reference, which can send requests'],
  ] as const
  const width = Math.max(...pages.map(([path]) => path.length))
  const lines = [
    `Schoolgate is ready: ${listed(issuers)}`,
    '',
    ...(demo
      ? [
          `Demo sign-ins, all with the password ${demo.password === undefined ? `in ${demo.passwordIn}` : ` ${demo.password}  (stored in ${demo.passwordIn})`}`,
          '  owner@example.com   admin1@example.com   lecturer1@example.com   learner001@example.org',
          '',
        ]
      : []),
    'Pages',
    ...pages.map(([path, about]) => `  ${base}${path.padEnd(width)}  ${about}`),
    'E-mails',
    outbox === undefined ? '  are sent with SMTP_URL' : `  are saved to ${outbox}, because SMTP_URL is not set: open the newest .eml file`,
    'Documents for agents',
    `  ${base}${paths.authMd}   ${base}${paths.llmsTxt}`,
    `  ${base}${paths.authorizationServer}`,
    `  ${base}${paths.protectedResource}`,
    '',
    'Call the API as a visitor',
    `  curl ${base}/api/v1/courses`,
    'Register a client',
    `  curl ${base}${endpoints.registration.path} -H 'content-type: application/json' -d '${metadata}'`,
    'Run the whole flow and get a token',
    `  npm run first-token -- ${base}`,
    ...(isQuiet ? ['', 'From now on, this terminal shows warnings and errors. Set LOG_LEVEL=info to see every request.'] : []),
  ]
  return `${lines.join('\n')}\n`
}

const listed = (issuers: readonly string[]): string =>
  issuers.slice(0, maxListed).join('  ') + (issuers.length > maxListed ? `  and ${issuers.length - maxListed} more` : '')
