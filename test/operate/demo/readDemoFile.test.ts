import { expect, test } from 'vitest'
import { z } from 'zod'
import { readDemoFile } from '../../../src/operate/demo/readDemoFile.ts'

test('a missing file of the demo is an error that says how to get it or how to do without', () => {
  expect(() => readDemoFile('no_such', z.unknown())).toThrow(
    'demo/no_such.yaml is missing, so the demo school cannot be created: add the folder demo of the source, or set DEMO=off',
  )
})

test('an invalid file of the demo is an error that names the file and the key', () => {
  expect(() => readDemoFile('rows/course', z.array(z.looseObject({ slug: z.int() })))).toThrow(
    /^demo\/rows\/course\.yaml is invalid:[\s\S]*slug/,
  )
})
