import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId, toPublicId } from '../../src/lib/ids.ts'
import { type Place, placesToTest } from './cli.ts'

const [where] = await placesToTest()

describe('the lists of forms and comments', () => {
  let place: Place
  const post = newId()
  const lesson = newId()

  beforeAll(async () => {
    place = await (where as { open(): Promise<Place> }).open()
    const { sql } = place.service.database
    const school = place.service.app.schools.all[0]?.school.id ?? ''
    for (const [slug, status] of [
      ['ask', 'published'],
      ['old', 'closed'],
      ['new', 'draft'],
    ])
      await sql.query(`INSERT INTO form (school_id, id, slug, title, status, submissions_count) VALUES ($1, $2, $3, $3, $4, 2)`, [
        school,
        newId(),
        slug,
        status,
      ])
    const person = newId()
    await sql.query(`INSERT INTO person (school_id, id, email, name) VALUES ($1, $2, 'wren@example.org', 'Wren')`, [school, person])
    for (const [subject, type, author, status, body] of [
      [post, 'post', person, 'pending', 'Which clay?'],
      [post, 'post', null, 'published', 'Lovely.'],
      [lesson, 'lesson', person, 'hidden', 'Too fast.'],
    ])
      await sql.query(
        `INSERT INTO comment (school_id, id, subject_type, subject_id, person_id, status, body) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [school, newId(), type, subject, author, status, body],
      )
  })
  afterAll(() => place.stop())

  const list = async (...args: string[]) => {
    const outcome = await place.cli([...args, '--json'])
    expect(outcome.exitCode, outcome.err).toBe(0)
    return outcome.json()
  }
  const textsOf = async (...args: string[]): Promise<string[]> =>
    (await list('comments', 'list', ...args)).map(({ text }: { text: string }) => text)

  test('forms are listed newest first, by status and up to a limit', async () => {
    const slugs = async (...args: string[]): Promise<string[]> =>
      (await list('forms', 'list', ...args)).map(({ slug }: { slug: string }) => slug)
    expect(await slugs()).toEqual(['new', 'old', 'ask'])
    expect(await slugs('--status', 'published')).toEqual(['ask'])
    expect(await slugs('--limit', '1')).toEqual(['new'])
    expect((await place.cli(['forms', 'list'])).out).toMatch(/^SLUG +TITLE +STATUS +SUBMISSIONS/)
  })

  test('comments are listed newest first, by status, subject and author, and up to a limit', async () => {
    expect(await textsOf()).toEqual(['Too fast.', 'Lovely.', 'Which clay?'])
    expect(await textsOf('--status', 'pending')).toEqual(['Which clay?'])
    expect(await textsOf('--subject', toPublicId('pst', post))).toEqual(['Lovely.', 'Which clay?'])
    expect(await textsOf('--author', 'Wren@example.org')).toEqual(['Too fast.', 'Which clay?'])
    expect(await textsOf('--limit', '1')).toEqual(['Too fast.'])
    const [row] = await list('comments', 'list', '--status', 'hidden')
    expect(row).toMatchObject({ subject: toPublicId('les', lesson), author: 'wren@example.org', author_name: 'Wren', reply_to: null })
  })

  test.each([
    [['comments', 'list', '--subject', 'crs_1'], 'is not the id of a post, a lesson or an event'],
    [['comments', 'list', '--author', 'wren'], 'wren is not an e-mail address'],
    [['comments', 'list', '--status', 'spam'], 'Allowed choices are'],
    [['forms', 'list', '--limit', '0'], '--limit must be a number'],
  ])('%j is a usage error', async (args, sentence) => {
    expect(await place.cli(args)).toMatchObject({ exitCode: 2, err: expect.stringContaining(sentence) })
  })
})
