import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { markdownTable, paragraphs } from './documents/markdown.ts'
import { modules } from './importTable.ts'

const root = resolve(import.meta.dirname, '..')

/** The contents of folders that are not named after a module of src. */
const otherFolders: Readonly<Record<string, string>> = {
  account: 'the account pages: profile, e-mail address, password, second factors, apps, data',
  browser: 'pages in Chromium: flows, accessibility, languages, themes',
  clients: 'client libraries and apps, as their users set them up',
  conformance: 'the certification profiles of OpenID, module by module, and RFC 9700, recommendation by recommendation',
  deploy: 'the image, the manifests and the bill of materials',
  gateway: 'nginx, Caddy and other gateways in front of the service',
  upgrade: 'the list of releases from which `npm run test:upgrade` upgrades',
  ground: 'the project itself: imports, lint, documents, limits',
  security: 'attacks: each class of docs/attack-classes.md',
}

interface TestFile {
  path: string
  /** Its guarantees, by clause of a standard. */
  proofs: { clause: string; guarantee: string }[]
}

/** Returns test/README.md: the folders and the clauses of standards with the tests that prove them. */
export function renderTests(): string {
  const files = globSync('{test,verification}/**/*.test.ts', { cwd: root, exclude: ['**/node_modules'] })
    .toSorted()
    .map(readTests)
  const folders = new Set(files.flatMap(({ path }) => /^test\/\w+/.exec(path)?.[0] ?? []))
  const proofs = files
    .flatMap(({ path, proofs: own }) => own.map((proof) => ({ path, ...proof })))
    .toSorted((one, other) => one.clause.localeCompare(other.clause, 'en', { numeric: true }))
  return paragraphs([
    '<!-- Printed by npm run docs from the tests. -->',
    '# Which test proves which guarantee',
    `The title of each test is a guarantee in one sentence. \`npx vitest list test/identity/oidc\` lists those of a folder, and \`npm test -- --long\` runs all.
[Attack classes](../docs/attack-classes.md) lists each attack with the tests that try it.`,
    '## Folders',
    markdownTable(
      ['folder', 'about'],
      [
        ...[...folders].map((folder) => [`[${folder}](${relative('test', folder)})`, aboutFolder(folder)]),
        ['[verification](../verification)', 'what runs longer than the tests, or on servers of its kind'],
      ],
    ),
    '## Clauses of standards',
    'From the lines `// Proves <clause>: <guarantee>` at the top of the files.',
    markdownTable(
      ['clause', 'guarantee', 'tests'],
      proofs.map(({ clause, guarantee, path }) => [clause, guarantee, `[${withoutEnding(path)}](${relative('test', path)})`]),
    ),
  ])
}

function readTests(path: string): TestFile {
  const text = readFileSync(join(root, path), 'utf8')
  const proofs = [...text.matchAll(/^\/\/ Proves (.+?): (.+)$/gm)].map(([, clause = '', guarantee = '']) => ({ clause, guarantee }))
  return { path, proofs }
}

function aboutFolder(folder: string): string {
  const name = folder.replace('test/', '')
  const about = modules.find((module) => module.name === name)?.contents ?? otherFolders[name]
  if (about === undefined) throw new Error(`describe ${folder} in otherFolders of scripts/renderTests.ts`)
  return about
}

const withoutEnding = (path: string): string => join(dirname(path), path.replace(/^.*\/|\.test\.ts$/g, '')).replace('test/', '')
