import { buffer } from 'node:stream/consumers'
import type { School } from '../../base/school.ts'
import type { Database } from '../../database/connection/database.ts'
import type { FileStorage } from '../../database/files/fileStorage.ts'
import { findReadyFile } from '../../database/tables/files.ts'
import type { Logo } from '../../school/settings/publicAppearance.ts'

/** The bytes of a logo with its type. */
export interface LogoFile<Type extends string> {
  content: Buffer
  contentType: Type
}

/** Reads the file of a logo; undefined if there is none, if it is larger than the limit, or if its type is not accepted. */
export async function readLogo<Type extends string>(
  school: Pick<School, 'id'>,
  logo: Pick<Logo, 'id'>,
  {
    accounts,
    storage,
    maxBytes,
    isAccepted,
  }: { accounts: Database; storage: FileStorage; maxBytes: number; isAccepted(type: string): type is Type },
): Promise<LogoFile<Type> | undefined> {
  const file = await findReadyFile(accounts.kysely, school.id, logo.id)
  if (!file || !isAccepted(file.content_type) || Number(file.bytes) > maxBytes) return undefined
  const bytes = await storage.read(file.storage_key)
  return bytes && { content: await buffer(bytes), contentType: file.content_type }
}
