import { actorKinds } from '../../database/tables/actors.ts'
import { changeActions } from '../../database/tables/changeActions.ts'
import type { Operation } from '../declare/operations.ts'
import { changeFeedOf } from './changeFeed.ts'

type Json = Record<string, unknown>

/**
 * Returns the events that a school can send to other systems, in the form of the member `webhooks` of OpenAPI 3.1. OpenAPI 3.0 does not
 * have it, so the document publishes it as an extension.
 */
export function webhookEvents(operations: readonly Operation[]): Json {
  const types = [...changeFeedOf(operations).types.keys()]
  const change = {
    type: { type: 'string', pattern: `^(${types.join('|')})\\.(${Object.keys(changeActions).join('|')})$` },
    data: {
      object: { type: 'string', enum: types },
      id: { type: 'string', description: 'Id of the object.' },
      version: { type: 'integer', description: 'Version after the change.' },
      url: { type: 'string', format: 'uri', nullable: true, description: 'Where to read the object. Null if it is deleted or has no URL.' },
      by: {
        type: 'object',
        nullable: true,
        required: ['kind', 'client_id'],
        description: 'Who made the change. Null if an earlier release recorded it.',
        properties: {
          kind: { type: 'string', enum: Object.keys(actorKinds), description: 'As in the change feed.' },
          client_id: { type: 'string', nullable: true, description: 'The app; null without one.' },
        },
      },
    },
    example: {
      object: 'order',
      id: `ord_${idExample}`,
      version: 3,
      url: `https://school.example.com/api/v1/orders/ord_${idExample}`,
      by: { kind: 'platform', client_id: null },
    },
  }
  const security = {
    type: { type: 'string', pattern: '^security\\.' },
    data: {
      account_id: { type: 'string', nullable: true, description: 'Account of the person.' },
      client_id: { type: 'string', nullable: true, description: 'The app.' },
      authorization_id: { type: 'string', nullable: true, description: 'Access of the app to the account.' },
    },
    example: { account_id: `acc_${idExample}`, client_id: 'k2Jx', authorization_id: `aut_${idExample}` },
  }
  return {
    change: event({ id: 'receiveChange', summary: 'An object was changed', named: 'order.paid' }, change),
    security: event(
      { id: 'receiveSecurityEvent', summary: 'Access to an account was used or changed', named: 'security.grant.revoked' },
      security,
    ),
  }
}

const idExample = '01jgwejj00e6srgkpqm2sqf05m'

/** The ids are the only data of the object: the receiver reads the rest through the API. */
const event = (
  { id, summary, named }: { id: string; summary: string; named: string },
  { type, data, example }: { type: Json; data: Json; example: Json },
): Json => ({
  post: {
    operationId: id,
    summary,
    description: 'Signed as Standard Webhooks specifies, and repeated until the response is 2xx. Operators configure the receivers.',
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['type', 'timestamp', 'data'],
            properties: {
              type,
              timestamp: { type: 'string', format: 'date-time' },
              data: {
                type: 'object',
                required: ['school', ...Object.keys(data)],
                properties: { school: { type: 'string', format: 'uri', description: 'Issuer of the school.' }, ...data },
              },
            },
          },
          example: { type: named, timestamp: '2026-03-01T09:30:00.000Z', data: { school: 'https://school.example.com', ...example } },
        },
      },
    },
    // The signature proves who sent it.
    security: [],
    responses: { '2XX': { description: 'The event is stored.' } },
  },
})
