import type { Client } from 'pg'

/** The method `query` of a connection, whose overloads take a text, an object or a stream, with or without values and a callback. */
export type Query = (this: Client, ...sent: unknown[]) => unknown

/** Replaces `query` of a class of connections. `wrap` gets the method that it had. */
export function overrideQuery(connection: typeof Client, wrap: (send: Query) => Query): void {
  const { prototype } = connection
  // The overloads of `pg` cannot be written for a function that passes on whatever it gets.
  prototype.query = wrap(prototype.query as Query) as Client['query']
}
