import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const register = readFileSync(join(root, 'test/school/operations.csv'), 'utf8')
let directory: string

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'schoolgate-operations-'))
  mkdirSync(join(directory, 'test/school'), { recursive: true })
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

function run(text: string, ...args: string[]): { status: number | null; stderr: string; after: string } {
  const file = join(directory, 'test/school/operations.csv')
  writeFileSync(file, text)
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/operations.ts'), ...args], {
    cwd: directory,
    encoding: 'utf8',
  })
  return { status, stderr, after: readFileSync(file, 'utf8') }
}

test('--check prints the changed operation before and after, changes no file and exits with 1', () => {
  const stale = register.replace('courses:read,full', 'courses:write,full')
  const { status, stderr, after } = run(stale, '--check')
  expect(status).toBe(1)
  expect(stderr).toContain('- courses,GET,/api/v1/courses,listCourses,courses:write,full')
  expect(stderr).toContain('+ courses,GET,/api/v1/courses,listCourses,courses:read,full')
  expect(stderr).toContain('npm run operations')
  expect(after).toBe(stale)
})

test('a missing operation is reported, and written without --check', () => {
  const lines = register.split('\n')
  const stale = lines.filter((line) => !line.includes(',listCourses,')).join('\n')
  expect(run(stale, '--check').stderr).toContain('+ courses,GET,/api/v1/courses,listCourses')
  expect(run(stale)).toEqual({ status: 0, stderr: '', after: register })
})
