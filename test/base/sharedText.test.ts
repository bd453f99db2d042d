import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSharedText, insideString } from '../../src/base/text/sharedText.ts'

const markers = { issuer: 'https://issuer.marker.invalid', name: 'name.marker.invalid' }
const build = ({ issuer, name }: Readonly<Record<'issuer' | 'name', string>>) => ({
  title: `API of ${name}`,
  links: [`${issuer}/docs`, issuer],
  name,
})

const text = JSON.stringify(build(markers))
const pieces = ({ issuer, name }: typeof markers) => ({ issuer: insideString(issuer), name: insideString(name) })

test('a filled text is the JSON that the builder would make for these values, whatever characters they contain', () => {
  const shared = createSharedText(markers, text)
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (issuer, name) => {
      expect(shared.fill(pieces({ issuer, name })).toString()).toBe(JSON.stringify(build({ issuer, name })))
    }),
  )
})

test('a value that looks like a marker is inserted as it is', () => {
  const values = { issuer: markers.name, name: markers.issuer }
  expect(JSON.parse(createSharedText(markers, text).fill(pieces(values)).toString())).toEqual(build(values))
})

test('the version changes with each value and with the text', () => {
  const [one, other] = [createSharedText(markers, text), createSharedText(markers, `${text} `)]
  const values = { issuer: 'https://one.example', name: 'One' }
  const versions = [
    one.versionOf(values),
    one.versionOf({ ...values, name: 'Two' }),
    one.versionOf({ ...values, issuer: 'https://two.example' }),
    other.versionOf(values),
  ]
  expect(new Set(versions).size).toBe(4)
  expect(one.versionOf({ ...values })).toBe(versions[0])
})

test('a text without one of the markers is rejected', () => {
  expect(() => createSharedText(markers, text.replaceAll(markers.name, ''))).toThrow(/marker of name/)
})
