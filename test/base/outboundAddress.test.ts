import { describe, expect, test } from 'vitest'
import { forbiddenAddressReason } from '../../src/base/net/outboundAddress.ts'
import { forbiddenAddresses, publicAddresses } from '../support/forbiddenAddresses.ts'

describe('outgoing connections reach the public internet only (RFC 6890)', () => {
  for (const [reason, addresses] of Object.entries(forbiddenAddresses)) {
    test.each(addresses)(`${reason}: %j is forbidden`, (address) => {
      expect(forbiddenAddressReason(address)).toBeTypeOf('string')
    })
  }

  test.each(publicAddresses)('%s is allowed', (address) => {
    expect(forbiddenAddressReason(address)).toBeUndefined()
  })

  test('the corpus has at least 60 forbidden addresses', () => {
    expect(Object.values(forbiddenAddresses).flat().length).toBeGreaterThanOrEqual(60)
  })
})
