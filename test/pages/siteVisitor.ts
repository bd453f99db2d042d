import { expect } from 'vitest'
import { allScopes, createAgent, personCalled } from '../support/agent.ts'
import type { TestService } from '../support/service.ts'

/** The owner of a school, who changes it through the API. */
export interface SiteOwner {
  /** Sends a request and returns its body. Fails the test unless the status is 2xx. */
  call(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Record<string, unknown>>
  /** Uploads a file. Fails the test unless the status is 2xx. */
  upload(path: string, form: FormData): Promise<Record<string, unknown>>
  /** Reads a text. Fails the test unless the status is 2xx. */
  text(path: string, headers?: Record<string, string>): Promise<string>
}

/** Adds an owner to the school at an issuer and signs them in. */
export async function siteOwner(service: TestService, issuer = service.issuer): Promise<SiteOwner> {
  const email = `owner-${crypto.randomUUID()}@example.com`
  await service.addPerson({ email, role: 'owner', school: issuer })
  const agent = await createAgent(issuer)
  const { access_token: token } = (await agent.tokens(personCalled(email), { scope: allScopes }, { scopes: 'all' })).body
  async function send(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<string> {
    const response = await fetch(`${issuer}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    expect([method, path, response.ok, response.ok ? '' : text]).toEqual([method, path, true, ''])
    return text
  }
  return {
    async call(...request) {
      const text = await send(...request)
      return text === '' ? {} : JSON.parse(text)
    },
    async upload(path, form) {
      const response = await fetch(`${issuer}/api/v1${path}`, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: form })
      const body = Object(await response.json())
      expect([path, response.ok, body]).toEqual([path, true, body])
      return body
    },
    text: (path, headers) => send('GET', path, undefined, headers),
  }
}

export const asHtml = { accept: 'text/html' }
export const asMarkdown = { accept: 'text/markdown' }

/** Returns the addresses in a sitemap or in its index. */
export const locations = (text: string): string[] => [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address = '']) => address)

/** Returns every address of the sitemap of a school, except those of the documents. */
export async function sitemapOf(issuer: string): Promise<string[]> {
  const robots = await (await fetch(`${issuer}/robots.txt`)).text()
  const index = /^Sitemap: (.+)$/m.exec(robots)?.[1] ?? ''
  const files = locations(await (await fetch(index)).text()).filter((file) => !file.endsWith('/sitemap-documents.xml'))
  const texts = await Promise.all(files.map(async (file) => await (await fetch(file)).text()))
  return texts.flatMap(locations)
}

/** Returns the nodes of the data for search engines in a page. */
export function dataIn(html: string): Record<string, unknown>[] {
  const blocks = [...html.matchAll(/<script type="application\/ld\+json">([^<]*)<\/script>/g)]
  expect(blocks).toHaveLength(1)
  return JSON.parse(blocks[0]?.[1] ?? '')['@graph']
}
