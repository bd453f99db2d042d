import type { Database } from '../store/database.ts'
import { drain } from './drain.ts'
import { publishDuePosts } from './due/publishDuePosts.ts'
import type { Job } from './schedule.ts'

const batch = 500

/** Returns the job that marks scheduled posts as published once they are due. */
export function postJobs({ database }: { database: Database }): Job[] {
  return [
    {
      name: 'publish_posts',
      everySeconds: 30,
      run: (signal) =>
        database.exclusively('publish_posts', async () => ({
          published: await drain(() => database.transaction((writer) => publishDuePosts(writer, batch)), signal),
        })),
    },
  ]
}
