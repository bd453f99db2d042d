import type { Database } from '../store/database.ts'
import { drain } from './drain.ts'
import { type DigestArguments, sendFormDigests } from './due/formDigests.ts'
import type { Job } from './schedule.ts'

export interface FormJobArguments extends Pick<DigestArguments, 'send'> {
  database: Database
  schools(): Promise<DigestArguments['schools']>
}

const batch = 50

export function formJobs({ database, schools, send }: FormJobArguments): Job[] {
  return [
    {
      name: 'report_submissions',
      everySeconds: 60,
      run: (signal) =>
        database.exclusively('report_submissions', async () => {
          const found = await schools()
          const report = () => database.transaction((writer) => sendFormDigests(writer, { schools: found, send, limit: batch }))
          return { reported: await drain(report, signal) }
        }),
    },
  ]
}
