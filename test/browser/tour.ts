import { TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import type { FormDefinition } from '../../src/school/forms/saveForm.ts'
import { type Agent, allScopes, createAgent, get, personCalled, postJson } from '../support/agent.ts'
import { password } from '../support/service.ts'
import { learningTour } from './learningTour.ts'
import { siteTour } from './siteTour.ts'
import { sendForm, sendSignIn, signIn } from './visitor.ts'

const learner = 'learner001@example.org'
const owner = 'owner@example.com'
const leaver = 'lecturer1@example.com'
const chosenPassword = 'four lanterns over the quiet pond'

/** The people that a tour needs, as the demo school has them. */
export const tourists = [
  { email: learner, role: 'learner' },
  { email: owner, role: 'owner' },
  { email: leaver, role: 'lecturer' },
] as const

/** The form that a tour needs, with every kind of question. */
export const tourForm: FormDefinition = {
  slug: 'ask-the-school',
  title: 'Ask the school about courses, visits and benches',
  status: 'published',
  description: 'We answer within a day.',
  fields: [
    { key: 'name', label: 'Your name', kind: 'text', required: true, help: 'As your friends write it', max_length: 60 },
    { key: 'email', label: 'E-mail address', kind: 'email', required: true },
    { key: 'phone', label: 'Phone', kind: 'phone' },
    { key: 'pieces', label: 'Number of pieces', kind: 'number' },
    { key: 'day', label: 'Day', kind: 'date' },
    { key: 'about', label: 'What is it about?', kind: 'single_choice', required: true, options: ['A course', 'A visit'] },
    { key: 'clays', label: 'Which clays?', kind: 'multiple_choice', options: ['Stoneware', 'Porcelain'] },
    { key: 'question', label: 'Your question', kind: 'long_text', required: true },
    { key: 'picture', label: 'A picture of it', kind: 'file' },
    { key: 'news', label: 'Send me news', kind: 'checkbox' },
  ],
  success_message: 'It is on the table. You hear from us within three days.',
  submit_label: null,
  consent_text: 'You may keep my answers until my question is answered.',
  copies_answers: false,
  notifies_staff: false,
  opens_at: null,
  closes_at: null,
}

/** Dependencies of a tour other than a window. */
export interface TourGuide {
  agent: Agent
  /** The link in the newest message to an address. */
  mailedLink(email: string): Promise<string>
}

interface Stop {
  name: string
  open(page: Page, guide: TourGuide): Promise<void>
}

/** The pages in all their states. Each function opens a page in a new window. */
export const tour: readonly Stop[] = [
  // Before anything is allowed.
  {
    name: 'apps-none',
    async open(page, guide) {
      await sendNewPerson(page, guide)
      await apps(page, guide)
      await page.locator('.app').first().waitFor({ state: 'detached' })
    },
  },
  { name: 'home', open: at('/') },
  ...siteTour(sendAccountSignIn),
  { name: 'apps-guide', open: at('/docs/apps') },
  { name: 'school-form', open: at('/forms/ask-the-school') },
  {
    name: 'school-form-wrong',
    async open(page, guide) {
      await at('/forms/ask-the-school')(page, guide)
      // Browsers check required answers themselves: this is the response to those that do not.
      await page.locator('#form').evaluate((form) => form.setAttribute('novalidate', ''))
      await page.locator('button.main').click()
      await page.locator('#errors').waitFor()
    },
  },
  { name: 'school-form-sent', open: at('/forms/ask-the-school/sent') },
  { name: 'sign-in', open: ask },
  {
    name: 'sign-in-failed',
    async open(page, guide) {
      await ask(page, guide)
      await signIn(page, learner, 'not the password')
      await page.getByRole('alert').waitFor()
    },
  },
  { name: 'consent', open: (page, guide) => consent(page, guide, learner) },
  { name: 'consent-owner', open: (page, guide) => consent(page, guide, owner, allScopes) },
  { name: 'consent-nothing', open: (page, guide) => consent(page, guide, learner, 'courses:write school:write') },
  {
    name: 'consent-again',
    async open(page, guide) {
      const app = await anotherApp(guide)
      await consent(page, app, owner, 'openid courses:read courses:write')
      await answerElsewhere(page, 'main')
      await ask(page, app, { scope: allScopes })
      await page.locator('.before > summary').click()
    },
  },
  {
    name: 'consent-same',
    async open(page, guide) {
      const app = await anotherApp(guide)
      await consent(page, app, learner, 'openid courses:read')
      await answerElsewhere(page, 'main')
      await ask(page, app, { scope: 'openid courses:read' })
    },
  },
  {
    name: 'consent-imitating',
    async open(page, guide) {
      const { body } = await get(`${guide.agent.issuer}/api/v1/school`)
      // Latin letters that Cyrillic ones look like.
      const name = String(body.name).replaceAll('a', '\u0430').replaceAll('o', '\u043e')
      await consent(page, await anotherApp(guide, { client_name: name }), learner)
    },
  },
  {
    name: 'consent-nameless',
    async open(page, guide) {
      await consent(page, await anotherApp(guide, { client_name: undefined }), learner)
    },
  },
  {
    name: 'hand-over',
    async open(page, guide) {
      await consent(page, await anotherApp(guide), learner)
      await answerElsewhere(page, 'main')
    },
  },
  {
    name: 'hand-over-refused',
    async open(page, guide) {
      await consent(page, guide, learner)
      await answerElsewhere(page, 'refuse')
    },
  },
  {
    name: 'consent-switch',
    async open(page, guide) {
      await consent(page, guide, learner)
      await page.locator('.who a').click()
      await page.locator('#password').waitFor()
    },
  },
  { name: 'error', open: (page, guide) => ask(page, guide, { client_id: 'cli_00000000000000000000000000' }) },
  { name: 'error-address', open: (page, guide) => ask(page, guide, { redirect_uri: 'http://127.0.0.1:1/somewhere/else' }) },
  { name: 'error-ended', open: at('/oauth/interaction/nothing-of-the-kind') },
  {
    name: 'error-form',
    async open(page, guide) {
      await at('/account/sign-in')(page, guide)
      await page.context().clearCookies()
      await signIn(page, learner, password)
      await page.locator('.machine').waitFor()
    },
  },
  { name: 'error-nothing', open: at('/account/nothing') },
  {
    name: 'sign-out',
    async open(page, guide) {
      await sendAccountSignIn(page, guide, learner)
      await at('/oauth/logout')(page, guide)
    },
  },
  {
    name: 'signed-out',
    async open(page, guide) {
      await sendAccountSignIn(page, guide, learner)
      await at('/oauth/logout')(page, guide)
      await page.locator('button[name="logout"]').click()
      await page.waitForURL('**/logout/success*')
    },
  },
  { name: 'account-sign-in', open: at('/account/sign-in') },
  { name: 'sign-up', open: at('/account/sign-up') },
  {
    name: 'sign-up-refused',
    async open(page, guide) {
      await at('/account/sign-up')(page, guide)
      await signUp(page, 'wren@example.com', ' ')
      await page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'sign-up-sent',
    open: (page, guide) => signUpSent(page, guide, 'somebody-with-a-rather-long-address@a-rather-long-host.example.com'),
  },
  {
    name: 'finish-sign-up',
    async open(page, guide) {
      await sendSignUp(page, guide, 'finishing@example.com')
      await page.goto(await guide.mailedLink('finishing@example.com'))
    },
  },
  {
    name: 'finish-sign-up-refused',
    async open(page, guide) {
      await sendSignUp(page, guide, 'hurrying@example.com')
      await page.goto(await guide.mailedLink('hurrying@example.com'))
      await choosePassword(page, 'short')
      await page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'account-made',
    async open(page, guide) {
      const email = newAddress()
      await sendSignUp(page, guide, email)
      await page.goto(await guide.mailedLink(email))
      await choosePassword(page, chosenPassword)
      await page.waitForURL(/\/account$/)
    },
  },
  { name: 'link-ended', open: at('/account/password/new?token=nothing') },
  { name: 'forgotten', open: at('/account/password') },
  { name: 'forgotten-sent', open: forgottenSent },
  {
    name: 'new-password',
    async open(page, guide) {
      await sendForm(page, `${guide.agent.issuer}/account/password`, { email: learner })
      await page.goto(await guide.mailedLink(learner))
    },
  },
  {
    name: 'email-change',
    async open(page, guide) {
      const email = 'wren.applegarth-of-the-quiet-pond@a-rather-long-host.example.com'
      const { access_token } = await tokenOf(guide, learner)
      await postJson(`${guide.agent.issuer}/api/v1/account/email`, { email }, { authorization: `Bearer ${access_token}` })
      await page.goto(await guide.mailedLink(email))
      await signIn(page, learner, password)
      await page.waitForURL('**/account/email*')
    },
  },
  {
    name: 'apps-leaving',
    open: leave,
  },
  {
    name: 'apps-kept',
    async open(page, guide) {
      await leave(page, guide)
      await page.locator('form[action="/account/keep"] button').click()
      await page.getByRole('status').waitFor()
    },
  },
  {
    name: 'apps',
    async open(page, guide) {
      // One app that was allowed on two computers, and one whose access is used once.
      const twice = await anotherApp(guide)
      for (const app of [twice, twice, await anotherApp(guide, { client_name: 'School admin' })]) await use(app, owner)
      await apps(page, guide, owner)
    },
  },
  { name: 'app-activity', open: (page, guide) => activity(page, guide, '/account/apps') },
  {
    name: 'app-paused',
    async open(page, guide) {
      await activity(page, guide, '/account/apps')
      await page.locator('form[action="/account/apps/pause"] button').click()
      await page.getByRole('status').waitFor()
    },
  },
  {
    name: 'undo',
    async open(page, guide) {
      await activity(page, guide, '/account/apps')
      await page.locator('main a[href^="/account/undo/"]:not([href*="/since"])').first().click()
      await page.waitForURL('**/account/undo/*')
    },
  },
  {
    name: 'undo-since',
    async open(page, guide) {
      await activity(page, guide, '/account/apps')
      await page.locator('main a[href*="/since"]').first().click()
      await page.waitForURL('**/account/undo/*/since*')
    },
  },
  {
    name: 'undo-done',
    async open(page, guide) {
      await activity(page, guide, '/account/apps')
      await page.locator('main a[href^="/account/undo/"]:not([href*="/since"])').first().click()
      await page.locator('button.main').click()
      await page.getByRole('status').waitFor()
    },
  },
  { name: 'approval', open: approval },
  {
    name: 'approvals',
    async open(page, guide) {
      await approval(page, guide)
      await at('/account/approvals')(page, guide)
    },
  },
  {
    name: 'approval-done',
    async open(page, guide) {
      await approval(page, guide)
      await page.locator('button.main').click()
      await page.getByRole('status').waitFor()
    },
  },
  { name: 'school-app', open: (page, guide) => activity(page, guide, '/account/school/apps') },
  ...learningTour(sendAccountSignIn),
  ...(['learning', 'membership', 'orders', 'events'] as const).map((name) => ({
    name: `${name}-none`,
    async open(page: Page, guide: TourGuide) {
      await sendNewPerson(page, guide)
      await at(name === 'learning' ? '/account' : `/account/${name}`)(page, guide)
    },
  })),
  { name: 'account-profile', open: accountPage('/account/profile') },
  {
    name: 'account-profile-wrong',
    async open(page, guide) {
      await accountPage('/account/profile')(page, guide)
      await page.locator('#name').fill(' ')
      await page.locator('form[action="/account/profile"] button').click()
      await page.locator('#errors').waitFor()
    },
  },
  { name: 'account-login', open: accountPage('/account/login') },
  { name: 'account-sessions', open: accountPage('/account/sessions') },
  { name: 'account-notifications', open: accountPage('/account/notifications') },
  { name: 'account-data', open: accountPage('/account/data') },
  { name: 'account-security', open: accountPage('/account/security') },
  {
    name: 'account-security-factors',
    async open(page, guide) {
      await sendNewFactor(page, guide)
      await at('/account/security')(page, guide)
    },
  },
  {
    name: 'app-setup',
    async open(page, guide) {
      await appSetup(page, guide)
    },
  },
  {
    name: 'app-setup-wrong',
    async open(page, guide) {
      await appSetup(page, guide)
      await page.locator('#code').fill('000000')
      await page.locator('button.main').click()
      await page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'recovery-codes',
    async open(page, guide) {
      await appSetup(page, guide)
      await page.locator('#code').fill(codeOn(await page.content()))
      await page.locator('button.main').click()
      await page.locator('.codes').waitFor()
    },
  },
  {
    name: 'second-factor',
    async open(page, guide) {
      const email = await sendNewFactor(page, guide)
      await page.context().clearCookies()
      await ask(page, guide)
      await signIn(page, email, chosenPassword)
      await page.locator('#code').waitFor()
    },
  },
  {
    name: 'confirm',
    async open(page, guide) {
      await sendNewFactor(page, guide)
      // Forgets that the code has just proved who the person is.
      await page.context().clearCookies({ name: 'sg_confirmed' })
      await at('/account/security/app')(page, guide)
      await page.waitForURL('**/account/confirm*')
    },
  },
  { name: 'school-set-up', open: schoolPage('/account/school/set-up') },
  { name: 'school-set-up-preview', open: schoolPage('/account/school/set-up?palette=journal') },
  { name: 'school-today', open: schoolPage('/account/school') },
  { name: 'school-courses', open: schoolPage('/account/school/courses') },
  { name: 'school-course', open: schoolPage('/account/school/courses/clay-from-scratch') },
  { name: 'school-course-edit', open: schoolPage('/account/school/courses/clay-from-scratch/updateCourse') },
  { name: 'school-course-archive', open: schoolPage('/account/school/courses/clay-from-scratch/archiveCourse') },
  { name: 'school-students', open: schoolPage('/account/school/students') },
  { name: 'school-students-import', open: schoolPage('/account/school/students/import') },
  { name: 'school-appearance', open: schoolPage('/account/school/appearance/-/updateAppearance') },
  { name: 'school-apps', open: schoolPage('/account/school/apps') },
  { name: 'school-integrations', open: schoolPage('/account/school/integrations') },
  { name: 'school-rules', open: schoolPage('/account/school/rules') },
  {
    name: 'school-rules-wrong',
    async open(page, guide) {
      await schoolPage('/account/school/rules')(page, guide)
      await page.locator('#longest_days').fill('900')
      await page.locator('button.main').click()
      await page.locator('#longest_days-error').waitFor()
    },
  },
  { name: 'school-people', open: schoolPage('/account/school/people?q=wren') },
  { name: 'school-statistics', open: schoolPage('/account/school/statistics') },
  { name: 'school-staff', open: schoolPage('/account/school/staff') },
  { name: 'school-forms', open: schoolPage('/account/school/forms') },
  { name: 'school-comments', open: schoolPage('/account/school/comments') },
  { name: 'school-audit', open: schoolPage('/account/school/audit?event=consent') },
  { name: 'school-audit-wrong', open: schoolPage('/account/school/audit?event=Nothing!&from=x') },
  {
    name: 'signed-out-everywhere',
    async open(page, guide) {
      await sendAccountSignIn(page, guide, learner)
      await at('/account/sessions')(page, guide)
      await page.locator('form[action="/account/sign-out-everywhere"] button').click()
      await page.locator('form').first().waitFor({ state: 'detached' })
    },
  },
]

const newAddress = (): string => `new-${crypto.randomUUID()}@example.com`

/** Signs the window in without showing a page: a page that is not looked at would take half a second. */
async function sendAccountSignIn(page: Page, { agent }: TourGuide, email: string): Promise<void> {
  await sendSignIn(page, `${agent.issuer}/account/sign-in`, email, password)
}

async function sendSignUp(page: Page, { agent }: TourGuide, email: string): Promise<void> {
  await sendForm(page, `${agent.issuer}/account/sign-up`, { email, name: 'Wren Applegarth' })
}

/** Creates an account, whose owner is then signed in. Another one each time: the tour is walked more than once. */
async function sendNewPerson(page: Page, guide: TourGuide): Promise<string> {
  const email = newAddress()
  await sendSignUp(page, guide, email)
  await sendForm(page, await guide.mailedLink(email), { password: chosenPassword, repeated: chosenPassword })
  return email
}

/** The page of a new authenticator app, of a new person. */
async function appSetup(page: Page, guide: TourGuide): Promise<void> {
  await sendNewPerson(page, guide)
  await at('/account/security/app')(page, guide)
}

/** Sets up an authenticator app for a new person. */
async function sendNewFactor(page: Page, guide: TourGuide): Promise<string> {
  const email = await sendNewPerson(page, guide)
  await sendForm(page, `${guide.agent.issuer}/account/security/app`, (html) => ({ code: codeOn(html) }))
  return email
}

/** The current code of the authenticator app whose secret is on the page. */
function codeOn(html: string): string {
  const secret = (/<output[^>]*>([^<]*)/.exec(html)?.[1] ?? '').replaceAll(' ', '')
  return new TOTP({ secret, algorithm: 'SHA1', digits: 6, period: 30 }).generate()
}

const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0'
const scopes = 'openid profile email account:read account:write courses:read courses:write orders:read events:read'

async function ask(page: Page, { agent }: TourGuide, parameters: Record<string, string> = {}): Promise<void> {
  await page.goto(agent.authorizationUrl({ scope: scopes, ...parameters }).href)
}

async function consent(page: Page, guide: TourGuide, email: string, scope = scopes): Promise<void> {
  const next = await sendSignIn(page, guide.agent.authorizationUrl({ scope }).href, email, password)
  await page.goto(next)
  await page.locator('#scopes').waitFor()
}

/** A separate app: granting it scopes does not affect other pages. */
async function anotherApp(guide: TourGuide, metadata: object = { client_name: 'Course Companion' }): Promise<TourGuide> {
  return { ...guide, agent: await createAgent(guide.agent.issuer, metadata) }
}

/** The tokens of a separate app for the person's account. */
async function tokenOf(guide: TourGuide, email: string): Promise<{ access_token: string }> {
  const { agent } = await anotherApp(guide)
  return (await agent.tokens(personCalled(email), { scope: 'openid account:read account:write' }, { scopes: 'all' })).body
}

/** An app puts an account down for deletion, and the person looks. */
async function leave(page: Page, guide: TourGuide): Promise<void> {
  const { access_token } = await tokenOf(guide, leaver)
  await fetch(`${guide.agent.issuer}/api/v1/account`, { method: 'DELETE', headers: { authorization: `Bearer ${access_token}` } })
  await apps(page, guide, leaver)
  await page.locator('#deletion').waitFor()
}

/** Answers for an app on another machine. */
async function answerElsewhere(page: Page, answer: 'main' | 'refuse'): Promise<void> {
  await page.locator('#elsewhere').check()
  await page.locator(answer === 'main' ? 'button.main' : '.answers button:not(.main)').click()
  await page.locator('#address').waitFor()
}

/** Allows every permission to an app, which uses it. */
async function use({ agent }: TourGuide, email: string): Promise<void> {
  await agent.tokens(personCalled(email, { userAgent: firefox }), { scope: scopes }, { scopes: 'all' })
}

async function apps(page: Page, guide: TourGuide, email?: string): Promise<void> {
  if (email !== undefined) await sendAccountSignIn(page, guide, email)
  await at('/account/apps')(page, guide)
  await page.waitForURL('**/account/apps')
}

/** An app makes changes, and its page is opened from a list, with all details. */
async function activity(page: Page, guide: TourGuide, list: string): Promise<void> {
  const { agent } = await anotherApp(guide)
  const { body } = await agent.tokens(personCalled(owner), { scope: allScopes }, { scopes: 'all' })
  const headers = { authorization: `Bearer ${body.access_token}`, 'agent-reason': 'The programme of the spring' }
  const id = newAddress()
  await postJson(`${agent.issuer}/api/v1/courses`, { title: 'Clay in a weekend' }, headers)
  await postJson(`${agent.issuer}/api/v1/students/bulk`, { items: [{ email: id, name: 'Wren Applegarth' }] }, headers)
  await sendAccountSignIn(page, guide, owner)
  await at(list)(page, guide)
  const link = list === '/account/school/apps' ? `a[href$="/${agent.clientId}"]` : '.app:first-of-type a[href^="/account/apps/aut_"]'
  await page.locator(link).first().click()
  await page.locator('#changes').waitFor()
  for (const details of await page.locator('main .items details > summary').all()) await details.click()
}

/** An app that asks first wants to erase a student, and the person looks. */
async function approval(page: Page, guide: TourGuide): Promise<void> {
  const { agent } = await anotherApp(guide)
  const { body } = await agent.tokens(personCalled(owner), { scope: allScopes }, { scopes: 'all' })
  const headers = { authorization: `Bearer ${body.access_token}`, 'agent-reason': 'She asked for it by telephone' }
  await sendAccountSignIn(page, guide, owner)
  await at('/account/apps')(page, guide)
  await page.locator('.app:first-of-type a[href^="/account/apps/aut_"]').first().click()
  await page.locator('form[action="/account/apps/ask-first"] button').click()
  await page.getByRole('status').waitFor()
  const api = `${agent.issuer}/api/v1`
  const { body: student } = await postJson(`${api}/students`, { email: newAddress(), name: 'Wren Applegarth' }, headers)
  const response = await fetch(`${api}/students/${student.id}`, { method: 'DELETE', headers })
  const { details } = (await response.json()) as { details: { meta: { url: string } }[] }
  await page.goto(details[0]?.meta.url ?? '')
}

/** Opens a page of the school as its owner, with all details. */
function schoolPage(path: string): Stop['open'] {
  return async (page, guide) => {
    await sendAccountSignIn(page, guide, owner)
    await at(path)(page, guide)
    await page.waitForURL(`**${path.split('?')[0]}*`)
    for (const details of await page.locator('main :not(nav) > details > summary').all()) await details.click()
  }
}

/** Opens a page of the account of a learner. */
function accountPage(path: string) {
  return async (page: Page, guide: TourGuide): Promise<void> => {
    await sendAccountSignIn(page, guide, learner)
    await at(path)(page, guide)
    await page.waitForURL(`**${path}`)
  }
}

async function signUp(page: Page, email: string, name = 'Wren Applegarth'): Promise<void> {
  await page.locator('#email').fill(email)
  await page.locator('#name').fill(name)
  await page.locator('button.main').click()
}

async function signUpSent(page: Page, guide: TourGuide, email: string): Promise<void> {
  await at('/account/sign-up')(page, guide)
  const sent = page.waitForEvent('framenavigated')
  await signUp(page, email)
  await sent
}

async function choosePassword(page: Page, chosen: string): Promise<void> {
  await page.locator('#password').fill(chosen)
  await page.locator('#repeated').fill(chosen)
  await page.locator('button.main').click()
}

async function forgottenSent(page: Page, guide: TourGuide): Promise<void> {
  await at('/account/password')(page, guide)
  await page.locator('#email').fill(learner)
  const sent = page.waitForEvent('framenavigated')
  await page.locator('button.main').click()
  await sent
}

function at(path: string) {
  return async (page: Page, { agent }: TourGuide): Promise<void> => {
    await page.goto(agent.issuer + path)
  }
}
