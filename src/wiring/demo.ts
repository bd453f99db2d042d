import { isLoopback } from '../config/address.ts'
import type { Environment } from '../config/environment.ts'
import type { Config } from '../config/load.ts'
import { readDemoPassword } from '../config/secrets.ts'
import { makeDemoSchool } from '../demo/makeDemoSchool.ts'
import { hashPassword } from '../domain/password.ts'
import type { School } from '../policy/school.ts'
import type { Database } from '../store/database.ts'
import type { FileStorage } from '../store/fileStorage.ts'

/** There is a demo school while its file stands and nobody but this machine can reach it, or where DEMO says so. */
export function demoIssuer({ DEMO }: Environment, { schools }: Config): string | undefined {
  const school = schools.find(({ slug }) => slug === 'demo')
  return school && DEMO !== 'off' && (DEMO === 'on' || isLoopback(school.issuer)) ? school.issuer : undefined
}

export interface FillArguments {
  database: Database
  school: School
  environment: Environment
  storage: FileStorage
}

/** Makes the people and courses of the demo school. False where they are there already; then nothing is changed. */
export function fillDemoSchool({ database, school, environment, storage }: FillArguments): Promise<boolean> {
  const now = demoNow(environment)
  const password = readDemoPassword(environment)
  return makeDemoSchool(database, { school, now, storage, hashPassword: () => hashPassword(password) })
}

/** What the times of the demo count from: DEMO_NOW, or the start of today. */
export const demoNow = ({ DEMO_NOW }: Environment): Date => (DEMO_NOW ? new Date(DEMO_NOW) : new Date(new Date().setUTCHours(0, 0, 0, 0)))
