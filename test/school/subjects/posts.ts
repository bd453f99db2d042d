import type { Exceptions } from '../derived/exceptions.ts'

export const exceptions: Exceptions = {
  before: {
    unschedulePost: ({ send }, post) => send('publishPost', post, { scheduled_for: new Date(Date.now() + 86_400_000).toISOString() }),
  },
}
