import { hash } from '../../base/keyring.ts'

// Tags are short names of a grant or a client. Tokens contain them, so that a store can find markers in the round trip of the token.

export const grantTag = (schoolId: string, grantId: string): string => hash(`${schoolId} grant ${grantId}`).slice(0, 16)
export const clientTag = (schoolId: string, clientId: string): string => hash(`${schoolId} client ${clientId}`).slice(0, 12)
