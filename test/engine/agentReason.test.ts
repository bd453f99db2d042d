import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseAgentReason } from '../../src/engine/write/agentReason.ts'

/** The header as Node hands it over: its bytes as Latin-1. */
const asHeader = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

describe('the header Agent-Reason', () => {
  test.each([
    ['The teacher asked for it.', 'The teacher asked for it.'],
    ['Müller 山田 кот', 'Müller 山田 кот'],
    ['  two \t words\u202e ', 'two words'],
    ['', undefined],
    [' \u200b ', undefined],
  ])('%j is %j', (sent, read) => expect(parseAgentReason(asHeader(sent))).toBe(read))

  test('has at most 200 characters, none of which breaks a line or turns the text around', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => {
        const read = parseAgentReason(asHeader(text)) ?? ''
        expect(Array.from(read).length).toBeLessThanOrEqual(200)
        expect(read).not.toMatch(/[\p{Cc}\p{Cf}]/u)
      }),
    )
  })
})
