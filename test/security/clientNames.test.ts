import { beforeAll, describe, expect, test } from 'vitest'
import { type Agent, createAgent, personCalled } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { startService } from '../support/service.ts'
import { toConsent } from './browsing.ts'

const email = 'learner@example.org'
const warning = 'Be careful: this name resembles'

describe('the name that a client chooses (D8)', () => {
  const service = duringTests(() =>
    startService({
      school: {
        protected_client_names: ['Claude', 'Lanternfield'],
        integrations: [{ client_id: 'claude', client_name: 'Claude', redirect_uris: ['https://claude.example.com/cb'] }],
      },
    }),
  )
  beforeAll(async () => {
    await service.addPerson({ email })
  })

  const consentOf = async (agent: Agent, parameters: Record<string, string> = {}) =>
    toConsent(agent, personCalled(email), { email, parameters })
  const shownName = (html: string) => /<h1>“<bdi>(.*?)<\/bdi>” wants access/s.exec(html)?.[1]

  test.each([
    ['Claude', 'Claude'],
    ['Сlaude', 'Сlaude'],
    ['Ｃｌａｕｄｅ', 'Ｃｌａｕｄｅ'],
    ['Cl\u200Bau\u2060de', 'Claude'],
    ['cLaUdE', 'cLaUdE'],
    ['C l a u d e', 'C l a u d e'],
    ['\u202Eedualc', 'edualc'],
    ['C\u0301laude', 'C\u0301laude'.normalize('NFC')],
    ['Claude\nverified by the school', 'Claude verified by the school'],
    ['Claude», verified. «', 'Claude&#39;, verified. &#39;'],
    ['Claude”, verified. “', 'Claude&#39;, verified. &#39;'],
    ['<b>Claude</b>', '&lt;b&gt;Claude&lt;/b&gt;'],
    ['First School', 'First School'],
  ])('%j is shown alone as plain text, is called unverified, and the warning names what it imitates', async (name, shown) => {
    const agent = await createAgent(service.issuer, { client_name: name })
    const { html } = await consentOf(agent)
    expect(shownName(html)).toBe(shown)
    expect(html).toContain('Registered itself on')
    expect(html).toContain(`<p class="error">${warning} “<bdi>${name === 'First School' ? name : 'Claude'}</bdi>”`)
    expect(html).not.toMatch(/[\u200B-\u200F\u202A-\u202E\u2060-\u2069]/)
  })

  test('an honest name raises no alarm, nor does the registered integration that bears the protected one', async () => {
    expect((await consentOf(await createAgent(service.issuer, { client_name: 'Course Companion' }))).html).not.toContain(warning)
    const agent = await createAgent(service.issuer)
    const { html } = await consentOf(agent, { client_id: 'claude', redirect_uri: 'https://claude.example.com/cb' })
    expect(shownName(html)).toBe('Claude')
    expect(html).not.toContain(warning)
    expect(html).not.toContain('Unverified')
  })

  test('the warning is shown for the connected app too', async () => {
    const agent = await createAgent(service.issuer, { client_name: 'Lаnternfield Helper' })
    const person = personCalled(email)
    await agent.tokens(person)
    const { html } = await person.open(`${service.issuer}/account/apps`)
    expect(html).toContain(`${warning} “<bdi>Lanternfield</bdi>”`)
    expect(html.split(warning)).toHaveLength(2)
  })

  test('a name of five thousand characters is refused at registration', async () => {
    await expect(createAgent(service.issuer, { client_name: 'C'.repeat(5000) })).rejects.toThrow('invalid_client_metadata')
  })
})
