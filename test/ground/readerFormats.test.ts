import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

test('dates, times, money and numbers are written for readers by functions of base alone', () => {
  const src = resolve(import.meta.dirname, '../../src')
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => /^(?!gen\/|base\/).*\.ts$/.test(file))
  const own = files.filter((file) => /Intl\.(?:DateTime|Number)Format\(|\.toLocale\w*String\(/.test(readFileSync(join(src, file), 'utf8')))
  expect(own.toSorted()).toEqual([
    // The names of months and weekdays, which passwords must not consist of.
    'identity/accounts/passwordRule/passwordIssue.ts',
    // The year in which the demo school began.
    'operate/demo/marks.ts',
  ])
})
