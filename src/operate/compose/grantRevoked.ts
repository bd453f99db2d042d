import type { AuditEntry } from '../../database/tables/audit.ts'
import type { EndingGrant, GrantRevocation } from '../../engine/grantRevocation.ts'

export const grantRevoked = (
  { schoolId, grantId, accountId, clientId }: EndingGrant,
  { by, staff, client, requestId, address }: GrantRevocation,
): AuditEntry => ({
  school_id: schoolId,
  event: 'grant.revoked',
  account_id: accountId,
  client_id: clientId,
  grant_id: grantId,
  request_id: requestId,
  address,
  details: { by, ...(staff !== undefined && { staff }), ...(client !== undefined && { client }) },
})
