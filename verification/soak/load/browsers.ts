import type { Person } from '../../../test/support/person.ts'
import { password } from '../../../test/support/service.ts'
import { people } from '../installation.ts'
import type { SignedInBrowser } from '../ledger.ts'
import { NotServed } from '../send.ts'
import type { LoadContext, LoadKind } from './context.ts'
import { watchedPerson } from './oauthClient.ts'

/** The cookies of a browser for the pages of the account. */
const cookiesOf = ({ cookies }: Person): string =>
  [...cookies].flatMap(([key, value]) => (key.endsWith(' /') ? [`${key.split(' ')[0]}=${value}`] : [])).join('; ')

/** People sign in on the account's own page, and some sign out: their old cookies must not work again. */
export function browsers(context: LoadContext): LoadKind {
  const { ledger, monitor, random, installation, insist } = context
  let last = 0
  return {
    name: 'browsers',
    loops: 1,
    everyMs: 1500,
    async step() {
      last += 1
      const person = watchedPerson(people.learners[last % people.learners.length] ?? '', context)
      const since = performance.now()
      try {
        const form = await person.open(`${installation.issuer}/account/sign-in`)
        const email = people.learners[last % people.learners.length] ?? ''
        const page = await person.submit(form, /sign-in$/, { email, password })
        if (!page.url.pathname.startsWith('/account') || page.url.pathname.endsWith('sign-in')) {
          if (!monitor.wasDisturbed(since)) monitor.report(`sign-in: led to ${page.url.pathname} ${page.status}`)
          return
        }
      } catch (error) {
        if (error instanceof NotServed || monitor.wasDisturbed(since)) return
        throw error
      }
      const browser: SignedInBrowser = { id: ledger.browsers.length, life: 'live', cookies: cookiesOf(person), since, isBusy: true }
      ledger.browsers.push(browser)
      try {
        if (random.chance(0.5)) await signOut(browser)
      } finally {
        browser.isBusy = false
      }
    },
  }

  async function signOut(browser: SignedInBrowser): Promise<void> {
    browser.life = 'unknown'
    const asked = performance.now()
    const question = await insist({
      target: 'page',
      path: '/oauth/logout',
      headers: { accept: 'text/html', cookie: browser.cookies },
      expected: [200],
    })
    const read = (pattern: RegExp): string => pattern.exec(question.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const setCookies = [question.headers['set-cookie'] ?? []].flat().map((line) => line.split(';')[0] ?? '')
    const action = read(/<form method="post" action="([^"]+)"/)
    const sent = { target: 'page', path: action, form: { xsrf: read(/name="xsrf" value="([^"]+)"/), logout: 'yes' } }
    const cookie = [...new Map([...browser.cookies.split('; '), ...setCookies].map((pair) => [pair.split('=')[0], pair])).values()].join(
      '; ',
    )
    const headers = { accept: 'text/html', cookie, origin: installation.issuer, 'sec-fetch-site': 'same-origin' }
    const reply = await insist({ ...sent, headers, expected: [302, 303, 400] })
    if (reply.status !== 400) browser.life = 'dead'
    // A sign-out that was done and whose response was lost cannot be repeated.
    else if (!monitor.wasDisturbed(asked)) monitor.report('sign-out: 400', reply.text.slice(0, 300))
  }
}
