import type { z } from 'zod'
import type { CollectionRead, CollectionReadOf, RowRead, RowReadOf } from '../read/reading.ts'
import type { CollectionAction, CollectionActionOf, Creation, CreationOf } from '../write/writing.ts'
import type { ScopeVerb } from './area.ts'
import type { AnyTable, NoMembers, Values } from './expressions.ts'
import type { Action, ActionOf } from './resource.ts'

// A record of operations cannot type each operation separately, so each function here types one operation by its schemas: the framework
// passes only values that match these schemas to the operation's functions. At run time each function returns its argument.

export function defineAction<
  Table extends AnyTable,
  Verb extends ScopeVerb,
  Input extends z.ZodRawShape = NoMembers,
  Parameters extends z.ZodRawShape = NoMembers,
>(table: Table, action: ActionOf<Table, Verb, Input, Parameters>): Action<Table, Verb>
export function defineAction(_table: string, action: object): object {
  return action
}

export function defineCollectionAction<
  Verb extends ScopeVerb,
  Input extends z.ZodRawShape = NoMembers,
  Parameters extends z.ZodRawShape = NoMembers,
>(action: CollectionActionOf<Verb, Input, Parameters>): CollectionAction<Verb>
export function defineCollectionAction(action: object): object {
  return action
}

export function defineRead<
  Table extends AnyTable,
  Verb extends ScopeVerb,
  Input extends z.ZodRawShape = NoMembers,
  Parameters extends z.ZodRawShape = NoMembers,
  Output extends z.ZodRawShape = NoMembers,
>(table: Table, read: RowReadOf<Table, Verb, Input, Parameters, Output>): RowRead<Table, Verb>
export function defineRead(_table: string, read: object): object {
  return read
}

export function defineCollectionRead<
  Verb extends ScopeVerb,
  Input extends z.ZodRawShape = NoMembers,
  Parameters extends z.ZodRawShape = NoMembers,
>(read: CollectionReadOf<Verb, Input, Parameters>): CollectionRead<Verb>
export function defineCollectionRead(read: object): object {
  return read
}

export function defineCreation<
  Table extends AnyTable,
  Verb extends ScopeVerb,
  Input extends z.ZodRawShape,
  New extends Values = Values,
  Parent extends AnyTable = never,
>(creation: CreationOf<Table, Verb, Input, Parent>): Creation<Table, Verb, New, Parent>
export function defineCreation(creation: object): object {
  return creation
}
