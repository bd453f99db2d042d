import type { z } from 'zod'
import type { CollectionRead, RowRead } from '../read/reading.ts'
import type { CollectionAction, Creation } from '../write/writing.ts'
import type { ScopeVerb } from './area.ts'
import type { AnyTable, NoMembers, OutputOf, Values } from './expressions.ts'
import type { Action } from './resource.ts'

// A record of operations cannot type each operation separately, so each function here types one operation by its schemas: the framework
// passes only values that match these schemas to the operation's functions. At run time each function returns its argument.

export function defineAction<
  Table extends AnyTable,
  Verb extends ScopeVerb,
  Input extends z.ZodRawShape = NoMembers,
  Parameters extends z.ZodRawShape = NoMembers,
>(table: Table, action: Action<Table, Verb, Input, Parameters>): Action<Table, Verb>
export function defineAction(_table: string, action: object): object {
  return action
}

export function defineCollectionAction<
  Verb extends ScopeVerb,
  Input extends z.ZodRawShape = NoMembers,
  Parameters extends z.ZodRawShape = NoMembers,
>(action: CollectionAction<Verb, Input, Parameters>): CollectionAction<Verb>
export function defineCollectionAction(action: object): object {
  return action
}

export function defineRead<
  Table extends AnyTable,
  Verb extends ScopeVerb,
  Input extends z.ZodRawShape = NoMembers,
  Parameters extends z.ZodRawShape = NoMembers,
  Output extends z.ZodRawShape = NoMembers,
>(table: Table, read: RowRead<Table, Verb, Input, Parameters, Output>): RowRead<Table, Verb>
export function defineRead(_table: string, read: object): object {
  return read
}

export function defineCollectionRead<
  Verb extends ScopeVerb,
  Input extends z.ZodRawShape = NoMembers,
  Parameters extends z.ZodRawShape = NoMembers,
>(read: CollectionRead<Verb, Input, Parameters>): CollectionRead<Verb>
export function defineCollectionRead(read: object): object {
  return read
}

export function defineCreation<
  Table extends AnyTable,
  Verb extends ScopeVerb,
  Input extends z.ZodRawShape,
  New extends Values = Values,
  Parent extends AnyTable = never,
>(
  creation: Omit<Creation<Table, Verb, OutputOf<Input>, Parent>, 'check' | 'defaults' | 'after'> & { input: z.ZodObject<Input> },
): Creation<Table, Verb, New, Parent>
export function defineCreation(creation: object): object {
  return creation
}
