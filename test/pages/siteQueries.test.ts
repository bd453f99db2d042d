import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { availableServices, openTestDatabase } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { countStoreRequests, type RequestCounter } from '../support/roundTrips.ts'
import { startService, type TestService } from '../support/service.ts'
import { asHtml, asMarkdown, locations, type SiteOwner, siteOwner } from './siteVisitor.ts'

const { postgresql } = await availableServices()

/** Statements of a page whose menus are kept, and of one whose menus are read for it. */
const limits = { kept: 5, fresh: 14 }

describe.runIf(postgresql)('statements of the public pages', () => {
  let service: TestService
  let owner: SiteOwner
  let counter: RequestCounter
  const held = duringTests(openTestDatabase)
  const paths: string[] = []

  beforeAll(async () => {
    counter = countStoreRequests({ postgresql: Number(new URL(held.url ?? '').port) || 5432, redis: 0 })
    service = await startService({ database: held.database })
    owner = await siteOwner(service)
  })
  afterAll(async () => {
    counter?.stop()
    await service?.stop()
  })

  const add = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      const { id, slug } = await owner.call('POST', '/posts', { title: 'Note', content: 'Words.' })
      await owner.call('POST', `/posts/${id}/publish`, {})
      const page = await owner.call('POST', '/pages', { title: 'Own', show_in_navigation: true })
      await owner.call('POST', `/pages/${page.id}/publish`, {})
      const lecturer = await owner.call('POST', '/lecturers', { display_name: 'Marlo' })
      paths.push(`/posts/${slug}`, `/pages/${page.slug}`, `/lecturers/${lecturer.slug}`)
    }
  }
  const statementsOf = async (path: string, headers: Record<string, string>): Promise<number> => {
    await setImmediate()
    const { statements } = await counter.during(async () => {
      const response = await fetch(service.issuer + path, { headers })
      expect([path, response.status]).toEqual([path, 200])
      await response.text()
    })
    return statements.length
  }
  const allStatements = async (): Promise<Record<string, number>> => {
    const figures: Record<string, number> = {}
    for (const path of ['/posts', '/pages', '/lecturers', ...paths.slice(0, 3)]) {
      for (const headers of [asHtml, asMarkdown]) {
        // Keeps the menus, and prepares what the first request of a kind prepares.
        await statementsOf(path, headers)
        figures[`${path} ${headers.accept}`] = await statementsOf(path, headers)
      }
    }
    return figures
  }

  test('are few, and no more for a school with more rows', async () => {
    await add(1)
    const few = await allStatements()
    expect(Object.keys(few).length).toBe(12)
    for (const [page, count] of Object.entries(few)) expect([page, count > 0 && count <= limits.kept]).toEqual([page, true])
    await add(30)
    expect(await allStatements()).toEqual(few)
  })

  test('for the index of the sitemap do not grow with 10,000 more posts, and its files list each post once', async () => {
    const change = (radius: string) => owner.call('PATCH', '/appearance', { corner_radius: radius }, { 'if-match': '*' })
    const indexed = async (): Promise<string[]> => locations(await (await fetch(`${service.issuer}/sitemap.xml`)).text())
    // A change drops what this process keeps.
    await change('large')
    const few = await statementsOf('/sitemap.xml', {})
    expect((await indexed()).filter((file) => file.includes('/sitemap-posts'))).toEqual([`${service.issuer}/sitemap-posts.xml`])
    for (let first = 1; first < 10_000; first += 1000)
      await service.database.sql.query(
        `INSERT INTO post SELECT (jsonb_populate_record(post, jsonb_build_object('id', gen_random_uuid(), 'slug', 'copy-' || number))).*
           FROM post, generate_series($2::int, $2 + 999) AS number WHERE slug = $1`,
        [paths[0]?.replace('/posts/', ''), first],
      )
    await change('small')
    expect(few).toBeGreaterThan(0)
    expect(await statementsOf('/sitemap.xml', {})).toBe(few)
    const files = (await indexed()).filter((file) => file.includes('/sitemap-posts'))
    expect(files).toEqual([`${service.issuer}/sitemap-posts.xml`, `${service.issuer}/sitemap-posts-2.xml`])
    const posts = (await Promise.all(files.map(async (file) => locations(await (await fetch(file)).text())))).flat()
    // The list, the posts of this suite, and their copies.
    expect([posts.length, new Set(posts).size]).toEqual([10_032, 10_032])
    expect((await fetch(`${service.issuer}/sitemap-posts-3.xml`)).status).toBe(404)
  })

  test('for the menus are a fixed number', async () => {
    // A change drops what this process keeps.
    await owner.call('PATCH', '/appearance', { corner_radius: 'small' }, { 'if-match': '*' })
    expect(await statementsOf('/posts', asHtml)).toBeLessThanOrEqual(limits.fresh)
  })
})

test('requests for pages count against the limit of visitors', async () => {
  const service = await startService({ isLimited: true, server: { rate_limits: { page: { requests: 3, window_seconds: 3600 } } } })
  try {
    const statuses: number[] = []
    for (const path of ['/courses', '/courses/nothing', '/posts', '/events']) {
      const response = await fetch(service.issuer + path, { headers: asHtml })
      statuses.push(response.status)
      if (response.status === 429) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect(statuses).toEqual([200, 404, 200, 429])
  } finally {
    await service.stop()
  }
})
