import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { markdownErrors } from '../support/markdown.ts'

const root = resolve(import.meta.dirname, '../..')
const manifest: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Lists the files that git tracks or would track. */
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)))
const markdown = files.filter((file) => file.endsWith('.md'))
const documents = markdown.filter((file) => !/^(?:config|views)\//.test(file))
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

test('the documents exist', () => {
  expect(documents).toEqual(
    expect.arrayContaining(['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'test/README.md', 'docs/deploy.md']),
  )
})

describe.each([...documents, '.github/workflows/ci.yaml'])('%s', (document) => {
  const text = read(document)

  test('names only npm scripts that exist', () => {
    const named = [...text.matchAll(/npm run ([a-z][a-z:-]*)|npm (start|test)\b/g)].map(([, script, short]) => script ?? short ?? '')
    expect(named.filter((name) => !(name in manifest.scripts))).toEqual([])
  })

  test('links only to files that exist', () => {
    const targets = [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target)
    const local = targets.filter((target) => !/^[a-z]+:/.test(target))
    expect(local.filter((target) => !existsSync(resolve(root, dirname(document), target)))).toEqual([])
  })
})

test.each(markdown)('%s is clean Markdown', async (file) => {
  // The README shows screenshots next to each other, which requires HTML.
  expect(await markdownErrors(read(file), { htmlElements: ['img'] })).toEqual([])
})

test('the list of screenshots names the pictures that there are', () => {
  const listed = [...read('docs/screenshots/README.md').matchAll(/\]\((\S+\.jpg)\)/g)].map(([, file = '']) => `docs/screenshots/${file}`)
  expect(listed.length).toBeGreaterThan(10)
  expect(files.filter((file) => /^docs\/screenshots\/.*\.(?:png|jpg)$/.test(file))).toEqual(listed.toSorted())
})

test('every npm script runs a file that exists', () => {
  const run = Object.values(manifest.scripts).flatMap((script) =>
    [...script.matchAll(/\b(?:src|scripts|bench|verification)\/[\w/]+\.ts/g)].map(String),
  )
  expect(run.length).toBeGreaterThan(5)
  expect(run.filter((file) => !existsSync(join(root, file)))).toEqual([])
})

test('no file contains a path of a development machine', () => {
  const home = homedir() === '/' ? [] : [`${homedir()}/`]
  const places = [`${root}/`, ...home].filter((place) => !['/', '/app/', '/root/'].includes(place))
  const text = files.filter((file) => /\.(?:ts|mjs|md|json|ya?ml|ejs|css|sql|prisma)$|^\.ci\/|^Dockerfile$/.test(file))
  expect(text.length).toBeGreaterThan(100)
  expect(text.filter((file) => places.some((place) => read(file).includes(place)))).toEqual([])
})

test('the index of the documents links every one of them', () => {
  const linked = [...read('docs/README.md').matchAll(/\]\(([^)#]+)\)/g)].map(([, target = '']) => join('docs', target))
  expect(linked).toEqual(
    expect.arrayContaining(markdown.filter((file) => /^(?:docs\/)?[^/]+\.md$/.test(file) && !/^(?:docs\/)?README\.md$/.test(file))),
  )
})
