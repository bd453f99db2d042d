import type { Exceptions } from '../derived/exceptions.ts'

export const exceptions: Exceptions = {
  elsewhere: {
    revokeAuthorization: 'test/api/account.test.ts',
    endSession: 'test/api/account.test.ts',
    undoActivity: 'test/api/undo.test.ts',
    undoActivities: 'test/api/undo.test.ts',
  },
}
