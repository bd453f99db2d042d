import { expect, test } from 'vitest'
import { checkPlanted } from './planted.ts'

const check = (files: Record<string, string>): { code: number | null; output: string } => checkPlanted(files, ['scripts/language.ts'])

test('plain English passes', () => {
  const { code, output } = check({
    'src/lib/plain.ts': [
      '/** Returns the caller. The id stands for the person; there is none for a visitor. */',
      "export const caller = 'You are no longer a student of this school.'",
      'export const pattern = /who stands beside the door at once/ // The same words in `code` are not text.',
    ].join('\n'),
    'docs/plain.md': 'The service starts on its own.\n\n```sh\nstand beside\n```\n',
    'demo/posts.yaml': '# The umbrella stand is beside the door.\n',
  })
  expect(output).toContain('no forbidden phrase')
  expect(code).toBe(0)
})

const plants: [what: string, file: string, text: string, hit: string][] = [
  ['a phrase in a comment', 'src/lib/a.ts', '// The token stands in the header.\nexport const a = 1\n', 'src/lib/a.ts:1: stands → use'],
  [
    'a phrase across the lines of a comment',
    'src/lib/b.ts',
    '/**\n * Sends both at\n * once.\n */\nexport const b = 1\n',
    'src/lib/b.ts:2: at once → use',
  ],
  [
    'a comment without a verb',
    'src/lib/c.ts',
    '/** What a plan can include. */\nexport const c = 1\n',
    'src/lib/c.ts:1: What a plan can include.',
  ],
  [
    'a docstring that repeats its declaration',
    'src/lib/docs.ts',
    '/** Returns the names of the courses of a school. */\nexport const courseNames = (school: object) => school\n',
    'src/lib/docs.ts:1: Returns the names of the courses of a school. → use no docstring',
  ],
  ['a phrase in a message', 'src/lib/d.ts', "export const d = 'This is no id of a course.'\n", 'src/lib/d.ts:1: is no → use'],
  ['a phrase in a template', 'src/lib/e.ts', ['export const e = `Tell $', '{1} the owner`\n'].join(''), 'src/lib/e.ts:1: Tell → use'],
  ['a private name', 'src/lib/f.ts', 'export function planSight() {}\n', 'src/lib/f.ts:1: planSight → use'],
  ['a private file name', 'src/lib/errands.ts', 'export const f = 1\n', 'src/lib/errands.ts:1: errands → use'],
  [
    'a title that is a clause',
    'test/lib/g.test.ts',
    "test('who is none gets 401', () => {})\n",
    'test/lib/g.test.ts:1: who is none gets 401 → use',
  ],
  ['a document', 'docs/h.md', '# Title\n\nSettings that are in force.\n', 'docs/h.md:3: in force → use'],
  ['a template of a page', 'views/i.ejs', '<p>\nWhoever has the link can read it.</p>\n', 'views/i.ejs:2: Whoever → use'],
  ['a text of a page', 'views/locales/en.json', '{\n  "gone": "This link works no more"\n}\n', 'views/locales/en.json:2: no more → use'],
  ['a text of an e-mail', 'views/mails/en/l.md', '# {school}\n\nThis link works no more.\n', 'views/mails/en/l.md:3: no more → use'],
  ['a comment of a style sheet', 'views/assets/j.css', '/* The hint beside the field. */\n', 'views/assets/j.css:1: beside → use'],
  ['a comment of a configuration file', 'config/k.yaml', '# The role lends this scope.\nk: 1\n', 'config/k.yaml:1: lends → use'],
]
const { code, output } = check(Object.fromEntries(plants.map(([, file, text]) => [file, text])))

test('a forbidden phrase makes the check exit with 1', () => {
  expect(code).toBe(1)
})

test.each(plants)('%s is reported with its place and a replacement', (_what, _file, _text, hit) => {
  expect(output).toContain(hit)
})

test('a folder limits the check to its files', () => {
  const files = { 'src/lib/a.ts': '// It stands here.\nexport const a = 1\n', 'docs/b.md': 'It stands here.\n' }
  const { output: reported } = checkPlanted(files, ['scripts/language.ts', 'docs'])
  expect(reported).toContain('docs/b.md:1')
  expect(reported).not.toContain('src/base')
})
