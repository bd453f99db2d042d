import type { Reader } from '../connection/database.ts'

/** The kinds of actors, with their meaning. Closed: consumers may switch over it. */
export const actorKinds = {
  app: 'An app, in the name of a person who gave it access.',
  person: 'A person, on a page of the school.',
  platform: 'Another system of the school.',
  operator: 'The operator, with a command.',
  schedule: 'The service itself: something was due.',
} as const

export type ActorKind = keyof typeof actorKinds

export interface Actor {
  kind: ActorKind
  clientId?: string | undefined
}

const actors = new WeakMap<Reader, Actor>()

/** Returns the handle; what it records from now on names the actor. */
export function actingAs<Handle extends Reader>(handle: Handle, actor: Actor): Handle {
  actors.set(handle, actor)
  return handle
}

/** Returns the actor of a handle. Without one, the service acts itself. */
export const actorOf = (handle: Reader): Actor => actors.get(handle) ?? { kind: 'schedule' }
