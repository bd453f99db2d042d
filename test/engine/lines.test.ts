import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Resource } from '../../src/engine/declare/resource.ts'
import { writeForm } from '../../src/engine/declare/views.ts'
import { fieldErrorsOf } from '../../src/engine/write/fieldErrors.ts'
import { checkValue } from '../../src/engine/write/parseBody.ts'
import { personName } from '../../src/identity/accounts/signUp.ts'
import { passkeyName } from '../../src/identity/factors/ownFactors.ts'
import { resources } from '../../src/school/index.ts'
import { platformOperations } from '../../src/school/intake/platformOperations.ts'
import { longText, realTexts } from '../support/realText.ts'

interface Text {
  path: string
  schema: z.ZodType
}

const inside = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault
    ? inside(schema.unwrap() as z.ZodType)
    : schema

/** Every text that can be sent in a value of this schema. */
function textsIn(schema: z.ZodType, path: string): Text[] {
  const inner = inside(schema)
  if (inner instanceof z.ZodString || inner instanceof z.ZodStringFormat) return [{ path, schema: inner }]
  if (inner instanceof z.ZodArray) return textsIn(inner.element as z.ZodType, `${path}[]`)
  if (inner instanceof z.ZodDiscriminatedUnion) return inner.options.flatMap((option) => textsIn(option as z.ZodType, path))
  if (!(inner instanceof z.ZodObject)) return []
  return Object.entries(inner.shape as Record<string, z.ZodType>).flatMap(([name, member]) => textsIn(member, `${path}.${name}`))
}

const declared = resources.filter((one): one is Resource => 'schema' in one)
const sendable = declared.flatMap(({ name, writable, inputs, schema, actions, collectionActions }) => [
  ...writable.flatMap(({ field }) => textsIn(writeForm((inputs[field] ?? schema.shape[field]) as z.ZodType, 'staff'), `${name}.${field}`)),
  ...Object.entries({ ...actions, ...collectionActions }).flatMap(([action, { input }]) =>
    input ? textsIn(writeForm(input, 'staff'), `${name}/${action}`) : [],
  ),
])
const names = sendable.filter(
  ({ path }) => /[._](title|name|label|labels\[\]|tags\[\]|headline|subtitle|heading)$/.test(path) || /[./](title|name)$/.test(path),
)
const urls = sendable.filter(({ path }) => /url$/.test(path))

const messagesOf = (schema: z.ZodType, value: unknown): string[] => {
  const { error } = checkValue(schema, value)
  return error ? fieldErrorsOf('field', error).map(({ message }) => message) : []
}

describe('one rule for names and titles', () => {
  test('covers the names of every resource', () => {
    expect(names.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        'courses.title',
        'lecturers.display_name',
        'students.name',
        'account.name',
        'school.name',
        'pages.title',
        'lecturers.links[].label',
      ]),
    )
    expect(names.length).toBeGreaterThan(50)
  })

  test.each(names.map(({ path, schema }) => [path, schema] as const))(
    '%s is trimmed, and refuses what people cannot read',
    (_path, schema) => {
      expect(checkValue(schema, '  Clay From Scratch ').data).toBe('Clay From Scratch')
      for (const text of ['Clay & Kiln: 2', 'Töpfern', '陶芸', 'عربي', '👩‍🎨 Art']) expect(checkValue(schema, text).data).toBe(text)
      for (const text of ['a\u0007b\n', 'a\nb', 'a\u202eb', 'a\u2066b', 'a\u2028b']) {
        expect(messagesOf(schema, text)).toEqual([
          expect.stringMatching(/^field: must not contain control characters or changes of direction\. Remove U\+[0-9A-F]{4}\.$/),
        ])
      }
      for (const text of ['\u200b\u200b', '\u00ad', '\u2800', '\u3164']) {
        expect(messagesOf(schema, text)).toEqual(['field: must have at least one visible character. Send a text that people can read.'])
      }
    },
  )

  test('a required one refuses blanks', () => {
    for (const { path, schema } of names.filter(({ schema: one }) => !checkValue(one, '').success)) {
      expect(messagesOf(schema, '   '), path).toEqual(['field: must not be empty. Send at least one character.'])
    }
  })
})

/** Texts that people write, in contrast to ids, codes and values of a format. */
const free = [...sendable, ...platformOperations.flatMap(({ id, input }) => textsIn(input, id))].filter(
  ({ path, schema }) =>
    !/((_|\.)id(\[\])?|\.(school|line|language|coupon_code))$/.test(path) &&
    ['Clay & kiln: 2', 'Clay, fired'].every((text) => checkValue(schema, text).success),
)

describe('texts of people', () => {
  test('invisible text counts as empty in every text that must not be empty, also of the platform intake', () => {
    const required = free.filter(({ schema }) => !checkValue(schema, '').success)
    expect(required.length).toBeGreaterThan(80)
    const accepted = required.flatMap(({ path, schema }) =>
      ['\u200b', '\u200f\u200e', '\u2800', '\u3164', '\u115f\u1160', '\ufeff', '\u0301', ' \u00a0 ']
        .filter((text) => checkValue(schema, text).success)
        .map((text) => [path, text]),
    )
    expect([...new Set(accepted.map(([path]) => path))]).toEqual([])
  })

  test('the pages accept as names what the API accepts', () => {
    for (const read of [personName, passkeyName]) {
      for (const text of ['\u200b', '\u2800', '\u3164', 'a\u202eb', '']) expect(read(text)).toBeUndefined()
      for (const text of Object.values(realTexts)) expect(read(text)).toBe(text.normalize('NFC'))
    }
  })

  test('every text keeps names in every script, spelling and direction', () => {
    const changed = free.flatMap(({ path, schema }) =>
      [...Object.values(realTexts), longText]
        .filter((text) => checkValue(schema, 'a'.repeat(text.length)).success)
        .filter((text) => checkValue(schema, text).data !== text)
        .map((text) => [path, text]),
    )
    expect(changed).toEqual([])
  })
})

describe('one rule for URLs', () => {
  test('covers every URL that a person can enter', () => {
    expect(urls.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        'school.support_url',
        'school.legal.terms_url',
        'members.links[].url',
        'lecturers.links[].url',
        'events.join_url',
        'courses.trailer_url',
        'lessons.media.embed_url',
        'appearance.announcement.url',
        'pages.blocks[].props.url',
      ]),
    )
  })

  test.each(urls.map(({ path, schema }) => [path, schema] as const))('%s takes URLs of the web without credentials', (_path, schema) => {
    expect(checkValue(schema, 'https://school.example/help?a=b#c').success).toBe(true)
    for (const text of [
      'javascript:alert(1)//',
      'JavaScript:alert(1)',
      'java\nscript:alert(1)',
      'data:text/html,<script>alert(1)</script>',
      'file:///etc/passwd',
      'ftp://school.example/',
      'x:y',
      '//evil.example',
      'https:evil.example',
      'https://a:b@evil.example/',
      'https://a@evil.example/',
      'https://evil.example/\u202e',
      'https://evil.example/a b',
      `https://evil.example/${'a'.repeat(2000)}`,
    ]) {
      expect(messagesOf(schema, text).length, text.slice(0, 40)).toBe(1)
    }
  })
})

describe('a message says the rule and the fix, in our own words', () => {
  const schema = z.object({
    text: z.string().min(1).max(3),
    longer: z.string().min(2),
    list: z.array(z.int()).min(1).max(2),
    whole: z.int().min(1).max(5),
    step: z.number().multipleOf(5).lt(100).gt(0),
    choice: z.enum(['a', 'b']),
    exact: z.literal('x'),
    flag: z.boolean(),
    email: z.email(),
    url: z.url(),
    time: z.iso.datetime(),
    date: z.iso.date(),
    form: z.string().regex(/^a$/),
    names: z.record(z.string().regex(/^a$/), z.string()),
    either: z.union([z.string(), z.number()]),
    kind: z.discriminatedUnion('type', [z.object({ type: z.literal('a') }), z.object({ type: z.literal('b') })]),
    custom: z.string().refine(() => false),
  })
  const wrongs: readonly (readonly [string, unknown, string])[] = [
    ['text', '', 'must not be empty. Send at least one character.'],
    ['text', 'abcd', 'must have at most 3 characters, has 4. Shorten it.'],
    ['text', undefined, 'is required. Send it.'],
    ['text', null, 'must be text, is null.'],
    ['text', 1, 'must be text, is a number.'],
    ['longer', 'a', 'must have at least 2 characters, has 1. Send more.'],
    ['list', [], 'must not be empty. Send at least one item.'],
    ['list', [1, 2, 3], 'must have at most 2 items, has 3. Send fewer.'],
    ['list', {}, 'must be a list, is an object.'],
    ['whole', 0, 'must be at least 1. Send a larger number.'],
    ['whole', 6, 'must be at most 5. Send a smaller number.'],
    ['whole', 1.5, 'must be a whole number. Remove the fraction.'],
    ['whole', '1', 'must be a number, is text.'],
    ['step', 7, 'must be a multiple of 5.'],
    ['step', 100, 'must be less than 100. Send a smaller number.'],
    ['step', 0, 'must be greater than 0. Send a larger number.'],
    ['choice', 'c', 'must be one of a, b.'],
    ['exact', 'y', 'must be x.'],
    ['flag', 'yes', 'must be true or false, is text.'],
    ['email', 'a', 'must be an e-mail address such as name@example.com.'],
    ['url', 'a', 'must be a web address such as https://school.example/page.'],
    ['time', 'a', 'must be a time with its zone (RFC 3339) such as 2026-03-01T09:30:00Z.'],
    ['date', 'a', 'must be a date such as 2026-03-01.'],
    ['form', 'b', 'must match /^a$/.'],
    ['names', { b: 'x' }, 'must not have a member of this name: the name must match /^a$/.'],
    ['either', true, 'must be text or a number.'],
    ['kind', { type: 'c' }, 'must be one of a, b.'],
    ['custom', 'a', 'is not valid.'],
  ]
  test.each(wrongs)('%s: %j', (field, value, message) => {
    const [found, ...others] = messagesOf(schema.shape[field as keyof typeof schema.shape], value)
    expect([found?.replace(/^field[^:]*: /, ''), others]).toEqual([message, []])
  })

  test('for every field of every resource', () => {
    const library = /Too (small|big)|Invalid|expected|received|Unrecognized/
    for (const { path, schema: one } of sendable) {
      for (const value of [undefined, null, 1, '', ' ', 'x'.repeat(300_000), '\0', {}, [], true]) {
        for (const message of messagesOf(one, value)) expect(message, path).not.toMatch(library)
      }
    }
  })
})
