// Proves RFC 8259 section 4: JSON of others that names a member of an object twice is refused, and the error names the member: bodies of the API, MCP and registration, `claims`, metadata documents, passkeys

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DuplicateMember, parseJson } from '../../src/base/text/parseJson.ts'

const refusal = (text: string): string | undefined => {
  try {
    parseJson(text)
  } catch (error) {
    if (!(error instanceof DuplicateMember)) throw error
    return /^The member (.*) occurs twice/s.exec(error.message)?.[1]
  }
  return undefined
}

/** Writes a value with spaces, and with names that are escaped. */
function written(value: unknown, space: string, isEscaped: boolean): string {
  const name = (text: string): string => (isEscaped ? `"${[...text].map(escaped).join('')}"` : JSON.stringify(text))
  if (Array.isArray(value)) return `[${space}${value.map((one) => written(one, space, isEscaped)).join(`${space},${space}`)}${space}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([key, one]) => `${name(key)}${space}:${space}${written(one, space, isEscaped)}`)
  return `{${space}${members.join(`${space},${space}`)}${space}}`
}
const escaped = (character: string): string =>
  [...Array(character.length).keys()].map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`).join('')

describe('JSON of others (RFC 8259 section 4)', () => {
  test('is parsed as JSON.parse does, unless an object names a member twice', () => {
    const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('"', '\\', '\\"', '{"a":1,"a":2}', '":', '__proto__', 'a:b'))
    const json = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        texts,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(texts, tie('value'), { maxKeys: 4 }),
      ),
    })).value
    fc.assert(
      fc.property(json, fc.constantFrom('', ' ', '\n\t\r '), fc.boolean(), (value, space, isEscaped) => {
        const text = written(value, space, isEscaped)
        expect(parseJson(text)).toEqual(JSON.parse(text))
      }),
      { numRuns: 1000 },
    )
  })

  test('with a member twice is refused wherever it is and however its names are written, and the error names it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), fc.jsonValue(), fc.boolean(), (name, value, isEscaped) => {
        const first = written({ [name]: value }, ' ', isEscaped)
        const second = JSON.stringify({ [name]: 1 })
        const object = `${first.slice(0, -1)},"${name === 'x' ? 'y' : 'x'}":[],${second.slice(1)}`
        for (const text of [object, `[1,${object}]`, `{"a":{"b":[{},${object}]}}`]) expect(refusal(text)).toBe(name)
      }),
      { numRuns: 300 },
    )
    expect(refusal('{"a":1,"\\u0061":2}')).toBe('a')
    expect(refusal('{"__proto__":1,"__proto__":2}')).toBe('__proto__')
    expect(refusal('{"a":{"b":1},"c":{"b":1},"d":["b","b"]}')).toBeUndefined()
  })

  test.each(['{', '', '{"a":1,}', '{"a":1 "a":2}', '"', '"\\', 'undefined', '{"a"', '['.repeat(1000)])('%j is a syntax error', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError)
    expect(() => parseJson(text)).not.toThrow(DuplicateMember)
  })
})
