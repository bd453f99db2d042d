import type { Exceptions } from '../derived/exceptions.ts'

export const exceptions: Exceptions = {
  elsewhere: {
    revokeAuthorization: 'test/school/account.test.ts',
    endSession: 'test/school/account.test.ts',
    stopEmails: 'test/operate/outgoingTray.test.ts',
    undoActivity: 'test/school/undo.test.ts',
    undoActivities: 'test/school/undo.test.ts',
    submitProposal: 'test/pages/account/proposals.test.ts',
    endProposal: 'test/pages/account/proposals.test.ts',
    removeProposalRequest: 'test/pages/account/proposals.test.ts',
  },
}
