import { hashedId, toPublicId } from '../../base/ids.ts'
import { changeActionOf } from '../../database/tables/changeActions.ts'

/** The content of a delivery, as the triggers of the database store it. */
export type StoredEvent =
  | {
      source: 'change'
      id: string
      type: string
      action: string
      resource_id: string
      version: number
      occurred_at: string
      /** Absent in what an earlier release stored. */
      actor_kind?: string | null
      client_id?: string | null
    }
  | {
      source: 'audit'
      id: string
      event: string
      account_id: string | null
      client_id: string | null
      grant_id: string | null
      occurred_at: string
    }

/** How objects of a type are named outside: the prefix of their ids, and the path of one of them in the API if it has one. */
export interface ObjectNames {
  idPrefix: string
  path?: ((id: string) => string) | undefined
}

/** The body of a webhook, in the form that Standard Webhooks recommends. It holds ids only: the receiver reads the object through the API. */
export interface WebhookEvent {
  type: string
  timestamp: string
  data: Record<string, unknown>
}

/** Returns the message id, the same for each attempt and each endpoint. */
export const webhookId = ({ id }: StoredEvent): string => toPublicId('evt', id)

export function webhookEvent(stored: StoredEvent, issuer: string, names: (type: string) => ObjectNames | undefined): WebhookEvent {
  const timestamp = new Date(stored.occurred_at).toISOString()
  if (stored.source === 'audit') {
    const { event, account_id: account, client_id: client, grant_id: grant } = stored
    return {
      type: `security.${event}`,
      timestamp,
      data: {
        school: issuer,
        account_id: account !== null && isUuid(account) ? toPublicId('acc', account) : null,
        client_id: client,
        authorization_id: grant === null ? null : hashedId('aut', grant),
      },
    }
  }
  const found = names(stored.type)
  const id = found ? toPublicId(found.idPrefix, stored.resource_id) : stored.resource_id
  const action = changeActionOf(stored.action)
  const path = action === 'deleted' ? undefined : found?.path?.(id)
  const { actor_kind: kind = null, client_id = null } = stored
  const by = kind === null ? null : { kind, client_id }
  return {
    type: `${stored.type}.${action}`,
    timestamp,
    data: { school: issuer, object: stored.type, id, version: stored.version, url: path === undefined ? null : `${issuer}${path}`, by },
  }
}

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
