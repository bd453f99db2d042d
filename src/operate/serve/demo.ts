import type { School } from '../../base/school.ts'
import { isLoopback } from '../../config/address.ts'
import type { Environment } from '../../config/environment.ts'
import type { Config } from '../../config/load.ts'
import { readDemoPassword } from '../../config/secrets.ts'
import type { Database, Reader } from '../../database/connection/database.ts'
import type { FileStorage } from '../../database/files/fileStorage.ts'
import { findSchoolId } from '../../database/tables/schools.ts'
import { hashPassword } from '../../identity/accounts/password.ts'
import { hasDemo, listDemoSignIns } from '../demo/demoAccounts.ts'

export function demoIssuer({ DEMO }: Environment, { schools }: Config): string | undefined {
  const school = schools.find(({ slug }) => slug === 'demo')
  return school && DEMO !== 'off' && (DEMO === 'on' || !publicIssuer(schools)) ? school.issuer : undefined
}

const publicIssuer = (schools: Config['schools']): string | undefined => schools.find(({ issuer }) => !isLoopback(issuer))?.issuer

/**
 * Refuses to serve demo accounts to strangers: their password is known.
 * @throws Error that names the accounts and the fix
 */
export async function refusePublicDemo({ DEMO }: Environment, { schools }: Config, database: Reader): Promise<void> {
  const issuer = publicIssuer(schools)
  if (DEMO === 'on' || issuer === undefined || !schools.some(({ slug }) => slug === 'demo')) return
  const schoolId = await findSchoolId(database, 'demo')
  const emails = schoolId === undefined ? [] : await listDemoSignIns(database, schoolId)
  if (emails.length === 0) return
  throw new Error(
    `the school demo has ${emails.length} demo accounts with a known password (${emails.slice(0, 3).join(', ')}${emails.length > 3 ? ', …' : ''}), \
and ${issuer} is not a loopback address. Remove the demo with: schoolgate demo remove. To keep it, disable these accounts with: schoolgate \
people disable, or set DEMO=on`,
  )
}

export interface FillArguments {
  database: Database
  school: School
  environment: Environment
  storage: FileStorage
}

/**
 * Creates the people and courses of the demo school. Returns false without a change if they exist.
 * @throws Error if this installation does not have the folder demo
 */
export async function fillDemoSchool({ database, school, environment, storage }: FillArguments): Promise<boolean> {
  if (await hasDemo(database.kysely, school.id)) return false
  // Imported on demand: the module reads the data of the demo, which an installation can leave out.
  const { makeDemoSchool } = await import('../demo/makeDemoSchool.ts')
  const now = demoNow(environment)
  const password = readDemoPassword(environment)
  return makeDemoSchool(database, { school, now, storage, hashPassword: () => hashPassword(password) })
}

const demoNow = ({ DEMO_NOW }: Environment): Date => (DEMO_NOW ? new Date(DEMO_NOW) : new Date(new Date().setUTCHours(0, 0, 0, 0)))
