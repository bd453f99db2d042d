/** Writes src/gen/texts: the texts that depend on the code alone, which a process reads instead of rendering them. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { apiDocumentPaths } from '../src/agents/api/resourcePaths.ts'
import { createCodeTexts } from '../src/operate/compose/codeTexts.ts'
import { hashOf } from '../src/operate/compose/writtenTexts.ts'
import { operationsIn, resources, scopeCatalogue } from '../src/school/index.ts'

/** Returns every text by its path below the folder. */
export function codeTexts(): ReadonlyMap<string, string> {
  const operations = operationsIn(resources)
  const texts = createCodeTexts(operations, scopeCatalogue(resources))
  const openApi = texts.openApi() ?? ''
  const { tags }: { tags: { name: string }[] } = JSON.parse(openApi)
  return new Map([
    ...apiDocumentPaths(operations).map((path): [string, string] => [path.slice(1), texts.apiText(path)]),
    ['openapi.json', openApi],
    ...tags.map(({ name }): [string, string] => [`openapi/${name}.json`, texts.openApi(name) ?? '']),
    ['tools.json', JSON.stringify(texts.toolSchemas())],
    ['choices.json', JSON.stringify(texts.requestChoices())],
  ])
}

export function writeTexts(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  const texts = codeTexts()
  const hashes = JSON.stringify(Object.fromEntries([...texts].map(([path, text]) => [path, hashOf(text)])))
  for (const [path, text] of [...texts, ['hashes.json', hashes] as const]) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}
