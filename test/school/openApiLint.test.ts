import { createConfig, lintFromString } from '@redocly/openapi-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { get } from '../support/agent.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let text: string
beforeAll(async () => {
  service = await startService({
    school: { defaults: { name: 'First', contact_email: 'hello@example.com', support_url: 'https://help.example.com' } },
  })
  text = JSON.stringify((await get(`${service.issuer}/openapi.json`)).body, null, 1)
})
afterAll(() => service.stop())

async function problemsOf(source: string): Promise<string[]> {
  const config = await createConfig({
    extends: ['recommended'],
    rules: {
      // The data of a school carry no licence.
      'info-license': 'off',
      // A school on this machine is one, too.
      'no-server-example.com': 'off',
    },
  })
  const found = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  return found.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer} ${message}`)
}

describe('the served description', () => {
  test('is clean for Redocly, by its recommended rules', async () => {
    expect(await problemsOf(text)).toEqual([])
  })

  test('is clean in every slice of one resource, which is complete on its own', async () => {
    const { tags } = JSON.parse(text) as { tags: { name: string }[] }
    expect(tags.length).toBeGreaterThan(30)
    for (const { name } of tags) {
      const { status, body } = await get(`${service.issuer}/openapi/${name}.json`)
      expect([name, status, await problemsOf(JSON.stringify(body))]).toEqual([name, 200, []])
    }
  })

  test('names the school, and where to reach it, as they are now', async () => {
    expect(JSON.parse(text).info).toMatchObject({
      title: 'API of First',
      contact: { name: 'First', email: 'hello@example.com', url: 'https://help.example.com' },
    })
    await service.database.sql.query(`UPDATE school SET name = 'Renamed' WHERE id = $1`, [service.schoolId()])
    expect((await get(`${service.issuer}/openapi.json`)).body.info.title).toBe('API of Renamed')
  })

  test('can be read by scripts of any site, asked for by HEAD, and kept', async () => {
    const address = `${service.issuer}/openapi.json`
    const head = await fetch(address, { method: 'HEAD', headers: { origin: 'https://elsewhere.example' } })
    expect([head.status, await head.text(), head.headers.get('access-control-allow-origin')]).toEqual([200, '', '*'])
    expect(head.headers.get('cache-control')).toBe('public, max-age=300')
    const etag = head.headers.get('etag') as string
    expect((await fetch(address, { headers: { 'if-none-match': etag } })).status).toBe(304)
    const refused = await fetch(address, { method: 'POST' })
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })
})
