import { isIP } from 'node:net'
import type { z } from 'zod'
import { poolerOf } from '../base/net/pooler.ts'
import { storageAddressError } from '../base/net/storageAddress.ts'

// The forms that addresses in the environment have.

export const isHost = (text: string): boolean =>
  isIP(text) !== 0 || /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(text)

/**
 * True for the URL of PostgreSQL, with a known pooler if it names one. A `@` or `#` of a password that is not encoded would make a part of the
 * password the host.
 */
export const isDatabase = (text: string): boolean =>
  /^postgres(ql)?:\/\/[^@#]*(@[^@#]*)?$/.test(text.split('?')[0] ?? '') && poolerOf(text) !== undefined

export const isMailServer = (text: string): boolean => /^smtps?:\/\/./.test(text) && Boolean(URL.parse(text)?.hostname)

export function storageRule(text: string, context: Pick<z.core.$RefinementCtx<string>, 'addIssue'>): void {
  const expected = storageAddressError(text)
  if (expected !== undefined) context.addIssue({ code: 'custom', params: { expected } })
}
