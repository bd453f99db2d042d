import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newId } from '../../src/base/ids.ts'
import { comparisonForm } from '../../src/base/text/comparisonForm.ts'
import { everyDatabase } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { startDemoApi } from './demoApi.ts'

const owner = 'owner@example.com'
const spellings = ['Clay', 'clay', 'CLAY', ' clay', 'cl\u200bay', 'T\u00f6pfern', 'To\u0308pfern', 'STRASSE', 'Stra\u00dfe']
const stored = ['Clay', 'T\u00f6pfern', 'STRASSE']

describe.each(await everyDatabase())('tags on $name', ({ open }) => {
  const api = duringTests(async () => startDemoApi(await open()))
  const send = async (path: string, body: object, method = 'POST') => {
    const { status, json, text } = await api.send(`/api/v1/${path}`, { method, as: owner, body })
    expect([status, status < 300 || text]).toEqual([status, true])
    return json as { id: string; tags: string[]; labels: string[] }
  }
  const list = async (path: string) =>
    (await api.get(`/api/v1/${path}`, { as: owner })).json.data as { id: string; tag: string; count: number }[]

  test.each([
    ['posts', { title: 'Clay' }, 'tags', 'tag'],
    ['courses', { title: 'Clay' }, 'tags', 'tag'],
    ['digital_products', { title: 'Clay', kind: 'ebook', access: 'free' }, 'tags', 'tag'],
    ['students', {}, 'tags', 'tag'],
    ['members', {}, 'labels', 'label'],
  ])('of %s are stored in their first spelling, and found in every one', async (path, values, field, filter) => {
    const word = newId().slice(-8)
    const email =
      path === 'students' || path === 'members'
        ? { email: `${word}@example.org`, [path === 'members' ? 'display_name' : 'name']: 'Ada' }
        : {}
    const row = await send(path, { ...values, ...email, [field]: spellings.map((one) => `${one} ${word}`) })
    const kept = stored.map((one) => `${one} ${word}`)
    expect([...(row[field as 'tags'] ?? [])].sort()).toEqual(kept.toSorted())
    for (const spelling of spellings)
      expect((await list(`${path}?${filter}=${encodeURIComponent(`${spelling} ${word}`)}`)).map(({ id }) => id)).toEqual([row.id])
    expect(await list(`${path}?${filter}=${encodeURIComponent(`cla ${word}`)}`)).toEqual([])
    const changed = await send(`${path}/${row.id}`, { [field]: [`clay ${word}`, `Kiln ${word}`] }, 'PATCH')
    expect(changed[field as 'tags'].map(comparisonForm).sort()).toEqual([`clay ${word}`, `kiln ${word}`])
  })

  test('of posts are counted together, under the spelling of the oldest post', async () => {
    const word = newId().slice(-8)
    for (const spelling of ['Glaze', 'glaze', 'GLA\u00adZE']) {
      const { id } = await send('posts', { title: spelling, content: 'Dip.', tags: [`${spelling} ${word}`] })
      await send(`posts/${id}/publish`, {})
    }
    expect((await list('posts/tags')).filter(({ tag }) => tag.endsWith(word))).toEqual([{ tag: `Glaze ${word}`, count: 3 }])
  })

  test('have the same form in the database and in the service, whatever is typed', async () => {
    const { sql } = api.database
    const form = async (text: string) => (await sql.query<{ form: string }>('SELECT comparison_form($1) AS form', [text]))[0]?.form
    const samples = [
      ...spellings,
      '\u201cx\u201d \u2018y\u2019 \u2014 z',
      '\u1fb4\u0391\u0399',
      '\u0130stanbul \u0131',
      'İ\u0323',
      '\ufb01 \uff23 \u3000',
      '王芳 Ёлка أحمد क़लम Ωμέγα',
    ]
    for (const text of samples) expect([text, await form(text)]).toEqual([text, comparisonForm(text)])
    // The databases know older versions of Unicode: without the letters that were added since.
    const ranges = [
      [0x20, 0x2fff],
      [0x3000, 0xa7ca],
      [0xa7f2, 0xd7ff],
      [0xf900, 0xfffd],
      [0x10400, 0x104d3],
      [0x1f300, 0x1f5ff],
    ] as const
    const code = fc.oneof(...ranges.map(([min, max]) => fc.integer({ min, max })))
    const letter = code.map((one) => String.fromCodePoint(one)).filter((one) => /[^\p{Cn}]/u.test(one))
    const texts = fc.sample(fc.array(letter, { maxLength: 300 }), { numRuns: 150, seed: 7 })
    for (const text of texts) expect(await form(text.join(''))).toBe(comparisonForm(text.join('')))
  })
})
