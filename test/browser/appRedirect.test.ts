import { beforeAll, describe, expect, test } from 'vitest'
import { agentOf } from '../support/agent.ts'
import { hasChromium } from '../support/chromium.ts'
import { duringTests } from '../support/duringTests.ts'
import { until } from '../support/poll.ts'
import { password, startService } from '../support/service.ts'
import { openVisitor, signIn } from './visitor.ts'

const redirectUri = 'cursor://anysphere.cursor-mcp/oauth/callback'

describe.skipIf(!hasChromium())('in Chromium', () => {
  const service = duringTests(() =>
    startService({
      school: { integrations: [{ client_id: 'editor', client_name: 'Editor', redirect_uris: [redirectUri] }] },
    }),
  )
  beforeAll(async () => {
    await service.addPerson({ email: 'ada@example.org' })
  })

  test('the consent leads to an app with a private-use scheme: the content security policy allows the redirect', async () => {
    const visitor = await openVisitor()
    const locations: string[] = []
    visitor.page.on('response', (response) => void locations.push(response.headers().location ?? ''))
    try {
      const { page } = visitor
      await page.goto(agentOf(service.issuer, 'editor', undefined, redirectUri).authorizationUrl({ scope: 'openid courses:read' }).href)
      await signIn(page, 'ada@example.org', password)
      await page.getByRole('button', { name: 'Allow selected' }).click()
      await until(() => locations.some((location) => location.startsWith(`${redirectUri}?code=`)), { what: 'the redirect to the app' })
      expect(visitor.complaints().filter((text) => /form-action|securitypolicyviolation|Content Security Policy/i.test(text))).toEqual([])
    } finally {
      await visitor.close()
    }
  })
})
