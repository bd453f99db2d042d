// Proves RFC 9110 section 13.1.1: A weakened ETag of the current version matches If-Match, and one of an old version is 412

import { expect, test } from 'vitest'
import { parsePrecondition } from '../../src/engine/write/preconditions.ts'

test.each([
  ['the tag that the service sends', '"17-s-9f2c01ab"', [17]],
  ['the version alone', '"17"', [17]],
  ['a tag that a gateway weakened when it compressed', 'W/"17-s-9f2c01ab"', [17]],
  ['a tag to which a gateway added the encoding', '"17-s-9f2c01ab-gzip"', [17]],
  ['a tag to which Jetty added it', '"17-s-9f2c01ab--gzip"', [17]],
  ['a weakened tag without a hash', 'W/"17-p"', [17]],
  ['several tags', 'W/"16-s-9f2c01ab", "17-s-00000000"', [16, 17]],
])('If-Match names the version of a row: %s', (_title, header, versions) => {
  expect(parsePrecondition(header)).toEqual(versions)
})

test.each([
  ['the tag of a list, whose hash may be digits', 'W/"12345678"'],
  ['the tag of a list', 'W/"9f2c01ab"'],
  ['another text', '"latest"'],
])('If-Match names no version: %s', (_title, header) => {
  expect(parsePrecondition(header)).toEqual([0])
})
