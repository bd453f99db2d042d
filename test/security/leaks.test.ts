import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { skills } from '../../src/agents/skill.ts'
import { newId, toPublicId } from '../../src/base/ids.ts'
import type { Operation } from '../../src/engine/declare/operations.ts'
import { unwrapped, viewOf } from '../../src/engine/declare/views.ts'
import { makeDemoSchool } from '../../src/operate/demo/makeDemoSchool.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { callTool, post, request } from '../engine/mcp/rpc.ts'
import { startDemoApi } from '../school/demoApi.ts'
import { newComment, newEvent, newForm, newPost, newRsvps, newSubmission } from '../support/community.ts'
import { duringTests } from '../support/duringTests.ts'
import { newFile } from '../support/files.ts'
import { newPlan, newSubscription } from '../support/memberships.ts'
import { startService } from '../support/service.ts'
import { newPerson, newUses } from '../support/shop.ts'
import { plantMarkers, secretMark } from './plantMarkers.ts'
import { type SentSecrets, sendSecrets } from './sendSecrets.ts'

/** A marker in a public title, which proves that the crawler works. */
const publicMark = 'zq9pub'
const reads = operationsIn(resources).filter(({ method }) => method === 'GET')
const publicReads = reads.filter(({ anonymous }) => anonymous !== 'none')
const toolName = ({ id }: Operation): string => id.replace(/[A-Z]/g, (email) => `_${email.toLowerCase()}`)
const resourceNames = [...new Set(operationsIn(resources).map(({ resource }) => resource.name))]
const documents = [
  '/',
  '/llms.txt',
  '/api.md',
  '/docs/apps',
  '/docs/apps.md',
  '/docs/changes.md',
  '/docs/errors.md',
  ...resourceNames.flatMap((name) => [`/docs/${name}.md`, `/openapi/${name}.json`, `/sitemap-${name}.xml`]),
  '/sitemap.xml',
  '/sitemap-documents.xml',
  '/courses',
  '/events',
  '/lecturers',
  '/posts',
  '/posts/feed.xml',
  '/plans',
  '/favicon.ico',
  '/mcp/server-card',
  '/.well-known/mcp/server-card.json',
  '/.well-known/mcp/catalog.json',
  '/.well-known/ai-catalog.json',
  '/.well-known/security.txt',
  '/.well-known/change-password',
  '/.well-known/agent-skills/index.json',
  ...skills.map(({ name }) => `/.well-known/agent-skills/${name}/SKILL.md`),
  '/pricing.md',
  '/auth.md',
  '/openapi.json',
  '/docs',
  '/docs/errors',
  '/api/v1',
  '/.well-known/api-catalog',
  '/robots.txt',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-authorization-server',
  '/assets/custom.css',
  '/assets/schoolgate.css',
  '/account',
  '/account/sign-in',
  '/account/sign-up',
  '/no/such/page',
]
/** Documents that have several media types: each is requested as every type. */
const negotiated = ['/', '/courses', '/posts', '/docs', '/docs/apps', '/docs/errors', '/api/v1', '/no/such/page']
const accepts = ['text/calendar', 'application/json', 'text/html', 'text/markdown', 'text/csv', 'application/x-ndjson', 'text/plain']
const maxAnswers = 4000
/** How many rows of one table are requested by name, in addition to all rows with a secret name. */
const maxKeys = 40

interface Finding {
  where: string
  mark: string
}

describe('a visitor', () => {
  const service = duringTests(() => startService({}))
  let planted: string[]
  let secrets: SentSecrets
  /** The ids of rows in URLs, by table, including rows that visitors cannot see. */
  let keys: Map<string, string[]>
  beforeAll(async () => {
    const [entry] = service.app.schools.all
    const school = entry?.school as { id: string; slug: string; issuer: string }
    await makeDemoSchool(service.database, { school, now: new Date(), hashPassword: async () => 'no password', only: 'catalogue' })
    await addSecrets(school.id)
    const api = await startDemoApi({ database: service.database, drop: async () => {} }, undefined, undefined, { school })
    secrets = await sendSecrets(api).finally(() => api.stop())
    planted = await plantMarkers(service.database, school.id)
    await service.database.sql.query(
      `UPDATE course SET title = title || ' ${publicMark}' WHERE school_id = $1 AND slug = 'clay-from-scratch'`,
      [school.id],
    )
    keys = await keysOf(school.id)
  })

  /** Adds rows that the demo lacks: private files, a quiz in a closed lesson and one in an open lesson, revisions, records. */
  async function addSecrets(schoolId: string): Promise<void> {
    const { sql } = service.database
    const file = await newFile(sql, schoolId, { visibility: 'private', filename: 'accounts.webp' })
    await newFile(sql, schoolId, { visibility: 'private', status: 'pending' })
    const plan = await newPlan(sql, schoolId)
    const left = { cancellation_reason: `'other'`, cancellation_comment: `'moved away'` }
    await newSubscription(sql, schoolId, { ...plan, personId: await newPerson(sql, schoolId), status: 'canceled', more: left })
    await newPlan(sql, schoolId, { visibility: 'hidden' })
    await newPlan(sql, schoolId, { status: 'draft' })
    await sql.query('INSERT INTO upload (school_id, id, file_id, expires_at) VALUES ($1, $2, $3, now())', [schoolId, newId(), file])
    await sql.query(`UPDATE lesson SET attachment_file_ids = ARRAY[$2::uuid] WHERE school_id = $1 AND NOT is_preview`, [schoolId, file])
    await sql.query(`UPDATE course SET cover_image_file_id = $2 WHERE school_id = $1 AND status = 'draft'`, [schoolId, file])
    const answers = { kind: 'short_text', prompt: 'Which clay?', choices: [], points: 1 }
    const secret = { id: 'q1', ...answers, accepted_answers: [`answer ${secretMark}-quiz`], explanation: `because ${secretMark}-quiz` }
    const chosen = {
      ...secret,
      id: 'q2',
      kind: 'single',
      choices: [
        { id: 'c1', text: 'This one', correct: true },
        { id: 'c2', text: 'That one', correct: false },
      ],
      accepted_answers: [],
    }
    await sql.query(`UPDATE lesson SET kind = 'quiz', quiz = $2 WHERE school_id = $1 AND (is_preview OR position = 0)`, [
      schoolId,
      JSON.stringify({ questions: [secret, chosen] }),
    ])
    await sql.query(
      `INSERT INTO page_revision (school_id, page_id, number, event, content)
       SELECT school_id, id, 99, 'updated', jsonb_build_object('title', 'An earlier title') FROM page WHERE school_id = $1`,
      [schoolId],
    )
    await newRsvps(sql, schoolId, await newEvent(sql, schoolId, { joinUrl: `https://meet.example/${secretMark}-join` }), 2)
    for (const access of ['members', 'plans', 'course'])
      await newEvent(sql, schoolId, { access, place: `Vault ${secretMark}-place`, joinUrl: `https://meet.example/${secretMark}-join` })
    await newEvent(sql, schoolId, { status: 'draft' })
    await newUses(sql, schoolId, 2)
    await sql.query(`UPDATE coupon SET name = 'Spring', note = 'Ours', external_id = id::text`)
    await newPost(sql, schoolId)
    for (const visibility of ['members', 'paid', 'plans'])
      await newPost(sql, schoolId, { visibility, text: `Bowls ${secretMark}-post-text` })
    await newPost(sql, schoolId, { status: 'scheduled', due: '1 day' })
    const post = { type: 'post', id: await newPost(sql, schoolId) } as const
    await newComment(sql, schoolId, post)
    for (const status of ['pending', 'hidden', 'deleted'])
      await newComment(sql, schoolId, post, { status, body: `${secretMark}-comment-${status}`, replies: 1 })
    const form = await newForm(sql, schoolId)
    await newSubmission(sql, schoolId, form, { answers: { why: `Because of ${secretMark}-answer` } })
    await newForm(sql, schoolId, { status: 'draft' })
    await sql.query(`INSERT INTO audit_log (school_id, id, event, address) VALUES ($1, gen_random_uuid(), 'signed_in', '127.0.0.1')`, [
      schoolId,
    ])
    await sql.query(
      `INSERT INTO mailed_link (school_id, id, purpose, email, payload, expires_at) VALUES ($1, 'x', 'sign_up', 'x', '{"name": "Some One"}', now())`,
      [schoolId],
    )
  }

  async function keysOf(schoolId: string): Promise<Map<string, string[]>> {
    const found = new Map<string, string[]>()
    for (const { resource } of reads) {
      if (resource.isSingleton || found.has(resource.name)) continue
      const slug = resource.hasSlug ? 'slug' : 'NULL AS slug'
      const rows = await service.database.sql.query<{ id: string; slug: string | null }>(
        `SELECT id, ${slug} FROM "${resource.table}" WHERE school_id = $1 ORDER BY id`,
        [schoolId],
      )
      found.set(resource.name, [...rows.map(({ id }) => toPublicId(resource.idPrefix, id)), ...rows.flatMap((row) => row.slug ?? [])])
    }
    return found
  }

  const keysFor = (operation: Operation): readonly string[] => {
    if (!operation.path.includes('{')) return ['']
    const owner = (operation.kind === 'list' && operation.parent?.resource) || operation.resource
    const all = keys.get(owner.name) ?? []
    const step = Math.ceil(all.length / maxKeys)
    return all.filter((key, index) => key.startsWith(secretMark) || index % step === 0)
  }
  const pathOf = ({ path }: Operation, key: string): string => path.replace(/\{\w+\}/, encodeURIComponent(key))

  /** Queries with each parameter that has few values, and each field: those too that only others may name. */
  function queriesOf({ parameters, resource }: Operation): string[] {
    const values = parameters.flatMap(({ name, in: place, schema }) => {
      const value = unwrapped(schema instanceof z.ZodArray ? (schema.element as z.ZodType) : schema)
      if (place !== 'query') return []
      if (value instanceof z.ZodEnum) return value.options.map((option) => `${name}=${option}`)
      return value instanceof z.ZodBoolean ? [`${name}=true`, `${name}=false`] : []
    })
    const names = Object.entries(resource.schema.shape).map(([name, field]) => ({
      name,
      isPublic: viewOf(field as z.ZodType) === 'public',
    }))
    const shown = names.filter(({ isPublic }) => isPublic).map(({ name }) => name)
    const fields = [...names.filter(({ isPublic }) => !isPublic).map(({ name }) => name), shown.join(',')].map((name) => `fields=${name}`)
    const expansions = [...Object.keys(resource.expansions), ...resource.onDemand]
    const expand = expansions.length > 0 ? [`expand=${expansions.join(',')}`] : []
    return ['', 'limit=2', 'limit=100', ...values, ...fields, ...expand]
  }

  /** Finds markers in a text, and in its parts in base64url, such as cursors. */
  function marksIn(text: string): string[] {
    const decoded = [...text.matchAll(/[\w-]{24,}/g)].map(([run]) => Buffer.from(run, 'base64url').toString())
    return [text, ...decoded].flatMap((one) => one.match(new RegExp(`(?:${secretMark}|${publicMark})[\\w-]*`, 'gi')) ?? [])
  }

  /** Requests every known URL and every URL in a response, and returns the markers in bodies and headers. */
  async function crawl(): Promise<{ findings: Finding[]; answers: number; served: ReadonlySet<string> }> {
    const origin = service.issuer
    const waiting: [string, string?][] = [
      ...documents.map((path): [string] => [path]),
      ...negotiated.flatMap((path) => accepts.map((accept): [string, string] => [path, accept])),
    ]
    for (const read of reads) {
      const known = keysFor(read)
      const [first = '', ...others] = known.filter((key) => key !== '')
      if (known.includes('')) for (const query of queriesOf(read)) waiting.push([`${read.path}?${query}`])
      else for (const query of queriesOf(read)) waiting.push([`${pathOf(read, first)}?${query}`])
      for (const key of others) waiting.push([pathOf(read, key)])
      for (const accept of accepts) waiting.push([pathOf(read, first), accept])
    }
    for (const key of keys.get('files') ?? []) waiting.push([`/files/${key}/accounts.webp`])
    const seen = new Set(waiting.map(String))
    const served = new Set<string>()
    const findings: Finding[] = []
    const read = async ([path, accept]: [string, string?]): Promise<void> => {
      const ask = () => fetch(origin + path, { redirect: 'manual', headers: accept ? { accept } : {} })
      let response = await ask()
      // On a loaded machine a request can be rejected; the crawl repeats it later.
      for (let attempt = 0; response.status === 503 && attempt < 10; attempt++) response = await ask()
      const whole = `${JSON.stringify([...response.headers])}\n${await response.text()}`
      // A URL that repeats the request reveals nothing.
      const sent = new Set(marksIn(path))
      findings.push(
        ...marksIn(whole)
          .filter((mark) => !sent.has(mark))
          .map((mark) => ({ where: path, mark })),
      )
      if (response.status < 400) served.add(path)
      if (response.status >= 500) findings.push({ where: path, mark: `${secretMark}: ${response.status}` })
      for (const [, link = ''] of whole.matchAll(/(?:href=\\?"|<|\]\(|")((?:https?:\/\/[\w.:]+)?\/[^\s"'<>)\\{}]*)/g)) {
        const url = URL.canParse(link, origin) ? new URL(link.replaceAll('&amp;', '&'), origin) : undefined
        const next: [string] = [url ? url.pathname + url.search : '']
        if (url?.origin !== origin || seen.has(String(next)) || seen.size >= maxAnswers) continue
        seen.add(String(next))
        waiting.push(next)
      }
    }
    let answers = 0
    while (waiting.length > 0) {
      const some = waiting.splice(0, 8)
      answers += some.length
      await Promise.all(some.map(read))
    }
    return { findings, answers, served }
  }

  /** The same through the tools. */
  async function callEveryTool(): Promise<{ findings: Finding[]; answers: number }> {
    const findings: Finding[] = []
    let answers = 0
    const note = (where: string, value: unknown, sent: object = {}): void => {
      answers += 1
      const known = new Set(marksIn(JSON.stringify(sent)))
      findings.push(
        ...marksIn(JSON.stringify(value))
          .filter((mark) => !known.has(mark))
          .map((mark) => ({ where, mark })),
      )
    }
    for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']) {
      const { json } = await post(service.issuer, request(method))
      note(method, json)
      for (const { uri } of json.result?.resources ?? []) note(uri, (await post(service.issuer, request('resources/read', { uri }))).json)
    }
    for (const read of publicReads) {
      const [key] = read.parameters.filter((one) => one.in === 'path').map(({ name }) => name)
      const calls = [...(key ? keysFor(read).map((value) => ({ [key]: value })) : [{}, { limit: 50 }])]
      for (const values of calls) note(toolName(read), await callTool(service.issuer, toolName(read), values), values)
    }
    note('search_catalog', await callTool(service.issuer, 'search_catalog', { query: 'clay' }))
    return { findings, answers }
  }

  const leaksIn = (findings: readonly Finding[]): string[] =>
    [
      ...new Set(findings.filter(({ mark }) => mark.toLowerCase().startsWith(secretMark)).map(({ where, mark }) => `${where}: ${mark}`)),
    ].slice(0, 40)
  const finders = (findings: readonly Finding[]): string[] => findings.filter(({ mark }) => mark === publicMark).map(({ where }) => where)

  test('markers are planted in every kind of text that is not public', () => {
    for (const marker of [
      'account-email',
      'account-name',
      'person-name',
      'course-title',
      'course-metadata',
      'course-external-id',
      'course-tags',
      'lecturer-bio',
      'lecturer-email',
      'lesson-title',
      'lesson-body-content',
      'lesson-body-content-html',
      'lesson-quiz',
      'lesson-metadata',
      'section-title',
      'page-draft-title',
      'page-draft-blocks',
      'page-revision-content',
      'page-slug',
      'file-filename',
      'file-alt',
      'mailed-link-email',
      'event-title',
      'post-title',
      'post-body-content',
      'comment-body',
      'form-title',
      'form-submission-email',
      'rsvp-note',
      'event-description',
      'event-description-html',
      'event-location',
      'event-cancel-reason',
    ]) {
      expect(planted).toContain(`${secretMark}-${marker}`)
    }
  })

  test('markers were sent through the API in every free text that is not public, of drafts and of each kind of closed row', () => {
    expect(secrets.refused).toEqual([])
    expect(secrets.sent).toEqual(
      expect.arrayContaining(['post.content', 'post.title', 'event.description', 'lesson.content', 'course.description', 'page.title']),
    )
  })

  test('no address answers a word of what is not public, in no byte, and the crawler finds what is', async () => {
    const { findings, answers, served } = await crawl()
    expect(leaksIn(findings)).toEqual([])
    // Every document was there to be searched. Lists that visitors cannot read have no sitemap.
    expect(documents.filter((path) => !served.has(path) && !path.startsWith('/sitemap-'))).toEqual(['/no/such/page'])
    expect([...served]).toEqual(expect.arrayContaining(['/sitemap-documents.xml', '/sitemap-courses.xml', '/sitemap-posts.xml']))
    expect(answers).toBeGreaterThan(300)
    const found = finders(findings)
    for (const path of ['/api/v1/courses?', '/pricing.md', '/llms.txt', '/api/v1/courses/clay-from-scratch'])
      expect(
        found.some((where) => where.startsWith(path)),
        path,
      ).toBe(true)
  })

  test('no tool answers a word of it either', async () => {
    const { findings, answers } = await callEveryTool()
    expect(leaksIn(findings)).toEqual([])
    expect(answers).toBeGreaterThan(100)
    expect(finders(findings)).toEqual(expect.arrayContaining(['list_courses', 'get_course', 'search_catalog']))
  })

  test('a request for a value that is not public gets the same response as a request for nonsense', async () => {
    const nonsenseFor = (marker: string): string => marker.replace(secretMark, 'zq8nn')
    const shape = async (path: string, word: string): Promise<string> => {
      const response = await fetch(service.issuer + path.replace('{word}', encodeURIComponent(word)), { redirect: 'manual' })
      const text = await response.text()
      return `${response.status} ${text.replaceAll(word, 'WORD').replace(/req_\w+/g, 'REQ')}`
    }
    const asked = publicReads.map((read) => {
      const words = read.parameters.filter(({ in: place, name, schema }) => {
        const value = unwrapped(schema instanceof z.ZodArray ? (schema.element as z.ZodType) : schema)
        return place === 'query' && value instanceof z.ZodString && !['cursor', 'fields', 'expand'].includes(name)
      })
      const address = pathOf(read, keysFor(read).at(-1) ?? '')
      const known = keysFor(read).filter((key) => key.startsWith(secretMark))
      const own = planted.filter((marker) => marker.startsWith(`${secretMark}-${read.resource.table}-`))
      return {
        paths: words.map(({ name }) => `${address}?${name}={word}`),
        // Searches inside texts use the common prefix of all markers; comparisons use the whole marker.
        words: [secretMark, ...own, ...known],
        ...(known.length > 0 && { rows: read.path.replace(/\{\w+\}/, '{word}'), known }),
      }
    })
    expect(asked.flatMap(({ paths }) => paths)).toEqual(
      expect.arrayContaining(['q', 'tag', 'slug[prefix]'].map((name) => `/api/v1/courses?${name}={word}`)),
    )
    const different: string[] = []
    let compared = 0
    const ask = async (path: string, marker: string): Promise<void> => {
      const [withMarker, withNonsense] = await Promise.all([shape(path, marker), shape(path, nonsenseFor(marker))])
      compared += 1
      if (withMarker !== withNonsense) different.push(`${path} ${marker}`)
    }
    for (const { paths, words, rows, known = [] } of asked) {
      for (const path of paths) await Promise.all(words.map((word) => ask(path, word)))
      // The exact names of rows that are not there for a visitor.
      if (rows !== undefined) await Promise.all(known.map((key) => ask(rows, key)))
    }
    const toldBySearch = async (query: string): Promise<string> =>
      JSON.stringify(await callTool(service.issuer, 'search_catalog', { query })).replaceAll(query, 'WORD')
    expect(await toldBySearch(secretMark)).toBe(await toldBySearch(nonsenseFor(secretMark)))
    expect(different).toEqual([])
    expect(compared).toBeGreaterThan(100)
    // And the oracle works: public values are found.
    expect(await shape('/api/v1/courses?q={word}', publicMark)).not.toBe(await shape('/api/v1/courses?q={word}', 'zq9nop'))
  })
})
