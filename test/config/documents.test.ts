import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import Ajv from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { describedFiles, describedVariables } from '../../src/config/files.ts'
import { type JsonSchema, keysOf } from '../../src/config/jsonSchema.ts'
import { renderManual } from '../../src/config/manual.ts'
import { renderSchema } from '../../src/config/renderSchema.ts'
import { temporaryFolder } from './configFolder.ts'

const root = resolve(import.meta.dirname, '../..')
const shipped = ['server.yaml', 'oauth.yaml', 'resources.yaml', 'roles.yaml', 'schools/demo.yaml']

describe('the generated documents', () => {
  test.each([
    ['config/README.md', renderManual],
    ['config/schema.json', renderSchema],
  ])('%s is current: if not, run npm run docs', (path, render) => {
    expect(readFileSync(join(root, path), 'utf8')).toBe(render())
  })

  test('name and describe every key and every variable', () => {
    const keys: { name: string; schema: JsonSchema }[] = [
      ...describedFiles().flatMap(({ schema }) => [...keysOf(schema)]),
      ...describedVariables().map(({ name, ...schema }) => ({ name, schema })),
    ]
    expect(keys.length).toBeGreaterThan(100)
    expect(keys.filter(({ schema }) => !schema.description || schema.examples?.[0] === undefined).map(({ name }) => name)).toEqual([])
    const manual = renderManual()
    expect(keys.filter(({ name }) => !manual.includes(`| \`${name}\` |`)).map(({ name }) => name)).toEqual([])
  })

  test('every example of a key is valid', () => {
    const ajv = new Ajv.default({ strict: false })
    addFormats.default(ajv)
    for (const { schema } of describedFiles()) {
      for (const { name, schema: key } of keysOf(schema))
        for (const example of key.examples ?? []) expect([name, ajv.validate(key, example)]).toEqual([name, true])
    }
  })

  test('the schema accepts the shipped files, which refer to their definitions, and rejects a misspelt key', () => {
    const ajv = new Ajv.default({ strict: false })
    addFormats.default(ajv)
    ajv.addSchema(JSON.parse(renderSchema()) as object, 'schema.json')
    for (const path of shipped) {
      const text = readFileSync(join(root, 'config', path), 'utf8')
      const pointer = /^# yaml-language-server: \$schema=(?:\.\.\/)?(schema\.json#\/\$defs\/\w+)\n/.exec(text)?.[1] ?? ''
      const check = ajv.getSchema(pointer)
      expect([path, check?.(parse(text) ?? {})]).toEqual([path, true])
      expect(check?.({ wibble: 1 })).toBe(false)
    }
  })

  test('are written by the script, which exits with 1 and lists the stale ones', () => {
    const folder = temporaryFolder()
    // Parts of these are written by hand, or are read for the others.
    for (const name of [
      'ARCHITECTURE.md',
      'docs/operate.md',
      'docs/integrate.md',
      'deploy/prometheus',
      'package.json',
      'test/clients/package.json',
    ])
      cpSync(join(root, name), join(folder, name), { recursive: true })
    const written = ['config', 'ARCHITECTURE.md', 'docs/agents.md', 'docs/audit.md', 'docs/integrate.md', 'docs/operate.md']
    const run = (...options: string[]) =>
      spawnSync(process.execPath, [join(root, 'scripts/docs.ts'), ...options, ...written], { cwd: folder, encoding: 'utf8' })
    const missing = run('--check')
    expect(missing.status).toBe(1)
    expect(missing.stderr).toMatch(/^not up to date: .*config\/README\.md, config\/schema\.json.*\. Run: npm run docs\n$/)
    expect(run().status).toBe(0)
    expect(run('--check')).toMatchObject({ status: 0, stderr: '' })
    writeFileSync(join(folder, 'config/README.md'), 'old')
    expect(run('--check').stderr).toBe('not up to date: config/README.md. Run: npm run docs\n')
  })
})
