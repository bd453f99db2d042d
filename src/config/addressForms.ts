import { isIP } from 'node:net'
import { poolerOf } from '../lib/pooler.ts'
import { parseStorageAddress } from '../lib/storageAddress.ts'

// The forms that addresses in the environment have.

/** True for an IP address or a host name. */
export const isHost = (text: string): boolean =>
  isIP(text) !== 0 || /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(text)

/** True for the URL of PostgreSQL, with a known pooler if it names one. */
export const isDatabase = (text: string): boolean => /^postgres(ql)?:\/\//.test(text) && poolerOf(text) !== undefined

/** True for the URL of a storage backend. */
export const isStorage = (text: string): boolean => parseStorageAddress(text) !== undefined

/** True for the URL of an SMTP server. */
export const isMailServer = (text: string): boolean => /^smtps?:\/\/./.test(text) && Boolean(URL.parse(text)?.hostname)
