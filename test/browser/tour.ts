import type { Page } from 'playwright-core'
import { type Agent, allScopes } from '../support/agent.ts'
import { password } from '../support/service.ts'
import { signIn } from './visitor.ts'

const learner = 'learner001@example.org'
const owner = 'owner@example.com'

/** The people that a tour needs, as the demo school has them. */
export const tourists = [
  { email: learner, role: 'learner' },
  { email: owner, role: 'owner' },
] as const

/** The pages that people see. Each is opened in a window without a history and ends with the page on show. */
export const tour: readonly { name: string; open(page: Page, agent: Agent): Promise<void> }[] = [
  { name: 'sign-in', open: (page, agent) => ask(page, agent) },
  {
    name: 'sign-in-failed',
    async open(page, agent) {
      await ask(page, agent)
      await signIn(page, learner, 'not the password')
      await page.getByRole('alert').waitFor()
    },
  },
  { name: 'consent', open: (page, agent) => consent(page, agent, learner) },
  { name: 'consent-owner', open: (page, agent) => consent(page, agent, owner, allScopes) },
  {
    name: 'error',
    async open(page, agent) {
      await ask(page, agent, { client_id: 'cli_00000000000000000000000000' })
      await page.getByRole('heading', { name: 'This app is not known here' }).waitFor()
    },
  },
  { name: 'sign-out', open: signOut },
  {
    name: 'signed-out',
    async open(page, agent) {
      await signOut(page, agent)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    },
  },
]

async function ask(page: Page, agent: Agent, parameters: Record<string, string> = {}): Promise<void> {
  const scope = 'openid profile email account:read account:write courses:read courses:write orders:read events:read'
  await page.goto(agent.authorizationUrl({ scope, ...parameters }).href)
}

async function consent(page: Page, agent: Agent, email: string, scope?: string): Promise<void> {
  await ask(page, agent, scope ? { scope } : {})
  await signIn(page, email, password)
  await page.getByText(`Signed in as`).waitFor()
}

async function signOut(page: Page, agent: Agent): Promise<void> {
  await consent(page, agent, learner)
  await page.goto(`${agent.issuer}/oauth/logout`)
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
}
