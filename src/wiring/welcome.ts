import { paths } from '../agents/schoolFacts.ts'
import { endpoints } from '../oidc/endpoints.ts'
import type { Started } from './start.ts'

const mostListed = 20

/** Returns the details of the log line of a ready service. They say where the demo password is, and do not contain it. */
export function readyDetails({ app, demo }: Pick<Started, 'app' | 'demo'>): Record<string, unknown> {
  const issuers = app.schools.all.map(({ school }) => school.issuer)
  return {
    schools: issuers.length,
    issuers: issuers.slice(0, mostListed),
    ...(demo ? { demo: { issuer: demo.issuer, password_in: demo.passwordIn } } : {}),
  }
}

/** Returns the welcome text for people who try the service. It does not repeat a password from the environment. */
export function welcome({ app, demo }: Pick<Started, 'app' | 'demo'>): string {
  const issuers = app.schools.all.map(({ school }) => school.issuer)
  const [first = ''] = issuers
  const metadata = JSON.stringify({ client_name: 'My first agent', redirect_uris: ['http://127.0.0.1:8765/callback'] })
  const lines = [
    `Schoolgate is ready: ${issuers.join('  ')}`,
    ...(demo
      ? [
          '',
          `Demo sign-ins at ${demo.issuer}, all with the password ${demo.password === undefined ? `in ${demo.passwordIn}` : ` ${demo.password}`}`,
          '  owner@example.com   admin1@example.com   lecturer1@example.com   learner001@example.org',
        ]
      : []),
    '',
    'Documents',
    `  ${first}${paths.authMd}   ${first}${paths.llmsTxt}`,
    `  ${first}${paths.authorizationServer}`,
    `  ${first}${paths.protectedResource}`,
    '',
    'Call the API as a visitor',
    `  curl ${first}/api/v1/courses`,
    'Register a client',
    `  curl ${first}${endpoints.registration.path} -H 'content-type: application/json' -d '${metadata}'`,
    'Run the whole flow and get a token',
    `  npm run first-token -- ${first}`,
  ]
  return `${lines.join('\n')}\n`
}
