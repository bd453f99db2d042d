import { paths } from '../agents/schoolFacts.ts'
import { endpoints } from '../oidc/endpoints.ts'
import type { Started } from './start.ts'

/** What a person at the terminal needs next. */
export function welcome({ app, demo }: Pick<Started, 'app' | 'demo'>): string {
  const issuers = app.schools.all.map(({ school }) => school.issuer)
  const [first = ''] = issuers
  const metadata = JSON.stringify({ client_name: 'My first agent', redirect_uris: ['http://127.0.0.1:8765/callback'] })
  const lines = [
    `Schoolgate is ready: ${issuers.join('  ')}`,
    ...(demo
      ? [
          '',
          `Demo sign-ins at ${demo.issuer}, all with the password  ${demo.password}`,
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
    `  curl ${first}${endpoints.registration.path} --json '${metadata}'`,
    'Walk all the way to a token',
    '  npm run first-token',
  ]
  return `${lines.join('\n')}\n`
}
