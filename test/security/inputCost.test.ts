import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { callerFrom } from '../../src/base/caller.ts'
import { readRange } from '../../src/base/http/byteRange.ts'
import { isKnown } from '../../src/base/http/document.ts'
import { deliverableEmail } from '../../src/base/text/emailAddress.ts'
import { iCalendar } from '../../src/base/text/iCalendar.ts'
import { languages, lookUpLanguage } from '../../src/base/text/languages.ts'
import { markupLimits } from '../../src/base/text/markupLimits.ts'
import { nearest } from '../../src/base/text/nearest.ts'
import { normalizedSlug, slugOf } from '../../src/base/text/slugText.ts'
import { wordsOf } from '../../src/database/statements/catalogueSearch.ts'
import { isSlugPath } from '../../src/engine/declare/fields.ts'
import type { Resource } from '../../src/engine/declare/resource.ts'
import { writeForm } from '../../src/engine/declare/views.ts'
import { unseal } from '../../src/engine/read/cursor.ts'
import { parseParameters } from '../../src/engine/read/parseParameters.ts'
import { fieldErrorsOf } from '../../src/engine/write/fieldErrors.ts'
import { parseKey } from '../../src/engine/write/idempotency.ts'
import { checkValue, mergePatch, parseBody } from '../../src/engine/write/parseBody.ts'
import { parsePrecondition } from '../../src/engine/write/preconditions.ts'
import { passwordIssue } from '../../src/identity/accounts/passwordRule/passwordIssue.ts'
import { imitatedName } from '../../src/identity/clients/imitatedName.ts'
import { registrationError } from '../../src/identity/clients/registrationError.ts'
import { cleanSvg, drawingLimits } from '../../src/school/files/cleanSvg.ts'
import { pictureSize, requireType } from '../../src/school/files/fileContents.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { htmlOf, plainText } from '../../src/school/richText.ts'
import { cssErrors } from '../../src/school/settings/customCss.ts'
import { cpuTime, defineCase, filled, type ParserCase } from './inputCosts.ts'

/** Shorter times depend more on the machine than on the parser. */
const trivialMs = 80
/** Twice the input takes twice the time; four times would be quadratic. */
const maxGrowth = 3
/** The maximum for twice the input. */
const maxMs = 2000

const texts = (
  parser: string,
  parse: (text: string) => unknown,
  pieces: readonly string[],
  { size = 50_000, maxOutput = Number.NaN } = {},
) =>
  pieces.map((piece) =>
    defineCase({
      parser,
      grows: JSON.stringify(piece),
      size,
      input: (length) => filled(piece, length),
      parse,
      ...(!Number.isNaN(maxOutput) && { maxOutput }),
    }),
  )

const svg = (inside: string): string => `<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`
const markdownPieces = [
  ...['a ', '[', '![', '[*', '_[', '*a ', '**a** ', '*_', '`a', '<', '<http://a.b>', '&', '&amp;', '\\', '[a](b)', '[a]: b\n', '[a][a] '],
  ...[
    '> ',
    '- ',
    '1. ',
    '    ',
    '-\n',
    '#\n',
    'a\n\n',
    ']\n\n',
    '> - ',
    '|',
    '|a|\n|-|\n|b|\n\n',
    '```\n',
    '"\n\n',
    '~~~',
    '\u202e',
    '\ufdfa',
  ],
]
const htmlPieces = [
  ...['<p>', '<b>', '</b>', '<b>a</b>', '<ul><li>', '</b><ul><li>', '<p><b>', '<td><p>', '<', '<<', '<!--', '-->', '<?', '<![CDATA['],
  ...[
    '&',
    '&lt;',
    '<a href="',
    '<a href="x">',
    '<img src="https://a.b/c">',
    '<a b c d ',
    '"',
    '<script>',
    '<textarea>',
    '<iframe>',
    '<x:y ',
  ],
]
const cssPieces = [
  'a',
  '{',
  '}',
  '(',
  'url(',
  '"',
  "'",
  '\\',
  '/*',
  '*/',
  '@',
  '@import ',
  ';',
  '<!',
  '-->',
  '\n"',
  '\ufdfa',
  'a{b:c}',
  '1e',
]
const words = ['a', 'A1', '-', '.', '@', ' ', 'a.', 'a-', '/', '%', '\u200b', '\u202e', '\ufdfa', 'é', 'http://', '(', '"', '0']

const schoolRules = {
  loopbackHosts: ['127.0.0.1'],
  maxRedirectUris: 10,
  docsUrl: 'https://school.example/docs',
  issuer: 'https://school.example',
}
const owner = callerFrom(
  { accountId: '0', personId: '0', role: 'owner', lecturerId: null } as Parameters<typeof callerFrom>[0],
  { scopes: [], clientId: 'client', grantId: 'grant' },
  new Set(),
)
const declared = resources.filter((one): one is Resource => 'schema' in one)
const courses = declared.find(({ name }) => name === 'courses') as Resource
const listCourses = operationsIn(resources).find(({ id }) => id === 'listCourses') as ReturnType<typeof operationsIn>[number]
const signer = { sign: () => 'signature', verify: () => false }
const entry = (text: string) => ({
  uid: 'a',
  changedAt: '2026-03-01T00:00:00Z',
  createdAt: '2026-03-01T00:00:00Z',
  startsAt: '2026-03-01T00:00:00Z',
  endsAt: '2026-03-01T01:00:00Z',
  title: text,
  description: text,
  location: text,
  position: null,
  url: text,
  isCanceled: false,
  sequence: 1,
  html: text,
})
const nestedObject = (depth: number): unknown => (depth === 0 ? 1 : { a: nestedObject(depth - 1) })

const cases: readonly ParserCase[] = [
  ...texts('words of a search', (text) => wordsOf(text), words),
  ...texts('SVG, value of an attribute', (text) => cleanSvg(svg(`<g fill="${text}" d="url(${text}"/>`)), [
    'a',
    'a ',
    ':',
    'url(',
    'url(#a',
    '&',
    "'",
  ]),
  ...texts('SVG, content', (text) => cleanSvg(svg(text)), [
    '<g>',
    '<g/>',
    '<g></g>',
    '</g>',
    '<',
    '<!--',
    '<text>',
    '<style>',
    '<a b c ',
    '&',
    '<svg ',
    '<?',
  ]),
  ...texts('Markdown', (text) => htmlOf(text, 'markdown'), markdownPieces, { size: 100_000, maxOutput: markupLimits.htmlLength }),
  ...texts('Markdown as plain text', (text) => plainText(text, 'markdown'), ['[*', '<http://a.b>', '-\n', '&'], { size: 50_000 }),
  ...texts('HTML', (text) => htmlOf(text, 'html'), htmlPieces, { size: 100_000, maxOutput: markupLimits.htmlLength }),
  ...texts('HTML as plain text', (text) => plainText(text, 'html'), ['<p>', '<b>', '</b><ul><li>', '<'], { size: 50_000 }),
  defineCase({
    parser: 'Markdown',
    grows: 'rows and columns of a table',
    size: 50,
    input: (n) => `${'|a'.repeat(n)}\n${'|-'.repeat(n)}\n${'|x\n'.repeat(n)}`,
    parse: (text) => htmlOf(text, 'markdown'),
    maxOutput: markupLimits.htmlLength,
  }),
  defineCase({
    parser: 'Markdown',
    grows: 'number of small tables',
    size: 1000,
    input: (n) => '| a |\n|-|\n| b |\n\n'.repeat(n),
    parse: (text) => htmlOf(text, 'markdown'),
    maxOutput: markupLimits.htmlLength,
  }),
  ...texts('CSS', (text) => cssErrors(text, 'https://school.example').join(), cssPieces, { size: 32_768, maxOutput: 10_000 }),
  ...texts('iCalendar', (text) => iCalendar('a', [entry(text)]), ['a', '\n', ',', '\\', 'é', '\r\n', 'https://a']),
  defineCase({
    parser: 'iCalendar',
    grows: 'number of entries',
    size: 1000,
    input: (n) => Array.from({ length: n }, () => entry('Open kiln')),
    parse: (entries) => iCalendar('a', entries),
  }),
  defineCase({
    parser: 'body, unknown members',
    grows: 'number of members',
    size: 10_000,
    input: (n) => Object.fromEntries(Array.from({ length: n }, (_, index) => [`titel_${index}`, 1])),
    parse: (body) => JSON.stringify(parseBody({ resource: courses, caller: owner, view: 'staff' }, body).fieldErrors.slice(0, 100)),
    maxOutput: 20_000,
  }),
  defineCase({
    parser: 'body, list with wrong values',
    grows: 'number of items',
    size: 10_000,
    input: (n) =>
      z
        .array(z.int())
        .max(10)
        .safeParse(Array.from({ length: n }, () => 'x')).error as z.ZodError,
    parse: (error) => JSON.stringify(fieldErrorsOf('items', error)),
    maxOutput: 50_000,
  }),
  defineCase({
    parser: 'merge patch',
    grows: 'number of members',
    size: 10_000,
    input: (n) => Object.fromEntries(Array.from({ length: n }, (_, index) => [`a${index}`, index % 2 ? null : index])),
    parse: (patch) => mergePatch(patch, patch),
  }),
  defineCase({ parser: 'merge patch', grows: 'depth', size: 500, input: nestedObject, parse: (patch) => mergePatch(patch, patch) }),
  defineCase({
    parser: 'parameters',
    grows: 'number of unknown parameters',
    size: 10_000,
    input: (n) => Object.fromEntries(Array.from({ length: n }, (_, index) => [`statsu${index}`, 'x'])),
    parse: (raw) => parseParameters(listCourses.parameters, raw),
  }),
  ...['q', 'cursor', 'fields', 'status', 'sort', 'limit', 'created_at[gte]', 'expand'].flatMap((name) =>
    texts(`parameter ${name}`, (text) => parseParameters(listCourses.parameters, { [name]: text }), ['a', ',', 'a,', '%', '_', '.', '-'], {
      size: 130_000,
    }),
  ),
  ...texts('nearest name', (text) => nearest(text, Object.keys(courses.schema.shape)), ['a', 'title']),
  ...texts('cursor', (text) => unseal(signer, text), ['a', '.', 'a.']),
  ...texts('Range', (text) => readRange(`bytes=${text}`, 1000), ['1', ' ', '-', '1-', '0-1,']),
  ...texts('If-Match', (text) => parsePrecondition(text), ['"', 'W/"1",', '"a",', ',', ' ']),
  ...texts('If-None-Match', (text) => isKnown(text, '"a"'), ['"', 'W/"1",', ',', ' ']),
  ...texts('Idempotency-Key', (text) => parseKey(`"${text}`), ['"', '\\', '\\"', 'a']),
  ...texts('ui_locales', (text) => lookUpLanguage(text.split(' '), languages), ['a-', 'de ', ' ', '-']),
  ...texts('name of a client', (text) => imitatedName(text, ['Schoolgate', 'Art']), words, { size: 20_000 }),
  ...texts('address of a mailbox', (text) => deliverableEmail(text), words),
  ...texts('new password', (text) => passwordIssue(text, { email: 'a@example.com', schoolName: 'A School' }), [...words, 'ab', 'a1'], {
    size: 32_768,
  }),
  ...texts('slug of a title', (text) => slugOf(text), [...words, 'α', 'é', '\u0301', '١']),
  ...texts('slug', (text) => isSlugPath(normalizedSlug(text), 3), [...words, '1-', 'α', '\u0301', '/'], { size: 20_000 }),
  ...texts(
    'client metadata, redirect URI',
    (text) => registrationError({ redirect_uris: [`http://127.0.0.1/${text}`] }, schoolRules)?.error,
    words,
  ),
  ...texts(
    'client metadata, scope',
    (text) => registrationError({ redirect_uris: ['http://127.0.0.1/'], scope: text }, schoolRules)?.error,
    ['a '],
  ),
  defineCase({
    parser: 'client metadata',
    grows: 'number of redirect URIs',
    size: 10_000,
    input: (n) => ({ redirect_uris: Array.from({ length: n }, () => 'http://127.0.0.1/') }),
    parse: (metadata) => registrationError(metadata, schoolRules)?.description,
    maxOutput: 500,
  }),
  ...(['image/png', 'image/gif', 'image/webp', 'image/jpeg', 'image/avif', 'image/svg+xml'] as const).flatMap((type) =>
    ['<svg ', "<svg '", '\0', '\xff\xd8', '\xff\xe0\0\x02', '\0\0\0\x08ftyp', 'GIF8'].map((piece) =>
      defineCase({
        parser: `head of a picture, ${type}`,
        grows: JSON.stringify(piece),
        size: 262_144,
        input: (length) => Buffer.from(`${signatures[type] ?? ''}${filled(piece, length)}`, 'latin1'),
        async parse(bytes) {
          await requireType(bytes.subarray(0, 4100), type).catch(() => {})
          return pictureSize(bytes, type)
        },
      }),
    ),
  ),
]

const signatures: Readonly<Record<string, string>> = {
  'image/png': '\x89PNG\r\n\x1a\n',
  'image/gif': 'GIF87b',
  'image/webp': 'RIFF\0\0\0\0WEBP',
  'image/jpeg': '\xff\xd8\xff',
  'image/avif': '\0\0\0\x1cftypavif',
}

/**
 * The shortest CPU times of alternating runs, in milliseconds. Other work of the machine and collections of garbage only lengthen a run:
 * the shortest times of a quadratic parser stay four times apart, however often it runs.
 */
async function shortestTimes(once: () => unknown, twice: () => unknown) {
  const shortest = { once: Number.POSITIVE_INFINITY, twice: Number.POSITIVE_INFINITY }
  for (let round = 0; round < 30; round++) {
    shortest.once = Math.min(shortest.once, (await cpuTime(once, 1)).ms)
    shortest.twice = Math.min(shortest.twice, (await cpuTime(twice, 1)).ms)
    if (round >= 3 && shortest.twice / shortest.once < maxGrowth) break
  }
  return shortest
}

describe('twice the input takes about twice the time, and the output is bounded', () => {
  const parsers = Map.groupBy(cases, ({ parser }) => parser)
  test.each([...parsers.keys()])('%s', async (parser) => {
    for (const { grows, size, input, parse, maxOutput } of parsers.get(parser) ?? []) {
      const [once, twice] = [input(size), input(2 * size)] as [never, never]
      // One run decides most cases: further ones could only find a shorter time.
      const double = await cpuTime(() => parse(twice), 1)
      if (maxOutput !== undefined) expect(double.output, `${grows}: output`).toBeLessThanOrEqual(maxOutput)
      if (double.ms < trivialMs) continue
      const single = await cpuTime(() => parse(once))
      // Rejecting is cheaper than parsing: if one of the two inputs is rejected, they cannot be compared.
      if ((single.output === -1) === (double.output === -1) && double.ms / single.ms >= maxGrowth) {
        const shortest = await shortestTimes(
          () => parse(once),
          () => parse(twice),
        )
        expect(
          shortest.twice / shortest.once,
          `${grows}: ${shortest.once} ms for ${size}, ${shortest.twice} ms for ${2 * size}`,
        ).toBeLessThan(maxGrowth)
      }
      if (double.ms >= maxMs) expect((await cpuTime(() => parse(twice))).ms, grows).toBeLessThan(maxMs)
    }
  })
})

describe('the schema of every field', () => {
  const long = words.map((word) => filled(word, 60_000))
  test.each(declared.map((resource) => [resource.name, resource] as const))(
    '%s checks long texts in a trivial time',
    async (_name, resource) => {
      for (const { field } of resource.writable) {
        const schema = resource.inputs[field] ?? resource.schema.shape[field]
        if (!(schema instanceof z.ZodType)) continue
        for (const text of long) {
          const { ms } = await cpuTime(() => checkValue(writeForm(schema, 'staff'), text), 1)
          if (ms > trivialMs)
            expect((await cpuTime(() => checkValue(writeForm(schema, 'staff'), text))).ms, `${field}: ${text.slice(0, 8)}`).toBeLessThan(
              trivialMs,
            )
        }
      }
    },
  )
})

describe('limits', () => {
  test('a text with markup is refused with its field, the rule and the fix', () => {
    const wide = `${'|a'.repeat(3000)}\n${'|-'.repeat(3000)}\n${'|x\n'.repeat(500)}`
    expect(() => htmlOf(wide, 'markdown', 'content')).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        details: [
          {
            field: 'content',
            code: 'max',
            message: expect.stringMatching(/^content: must have at most 10000 table cells, has \d+\. Split the text\.$/),
          },
        ],
      }),
    )
    expect(() => htmlOf('<b>'.repeat(markupLimits.depth + 1), 'html', 'bio')).toThrow(
      expect.objectContaining({
        details: [expect.objectContaining({ field: 'bio', message: expect.stringContaining('at most 100 levels deep') })],
      }),
    )
  })

  test('a drawing is refused above its bytes, elements and levels', () => {
    const excess = {
      bytes: svg(`<path d="${'1'.repeat(drawingLimits.bytes)}"/>`),
      elements: svg('<g/>'.repeat(drawingLimits.elements)),
      depth: svg(`${'<g>'.repeat(drawingLimits.depth)}${'</g>'.repeat(drawingLimits.depth)}`),
    }
    for (const [limit, drawing] of Object.entries(excess))
      expect(() => cleanSvg(drawing), limit).toThrow(
        expect.objectContaining({ code: 'payload_too_large', details: [expect.objectContaining({ field: 'file' })] }),
      )
    expect(cleanSvg(svg('<path d="M0 0"/>'.repeat(drawingLimits.elements - 1)))).toContain('<path')
  })
})
