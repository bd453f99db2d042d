import { z } from 'zod'

export type Wrapper = z.ZodNullable<z.ZodType> | z.ZodOptional<z.ZodType> | z.ZodDefault<z.ZodType> | z.ZodPrefault<z.ZodType>

export const isWrapper = (schema: z.ZodType): schema is Wrapper =>
  schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault

export const unwrapped = (schema: z.ZodType): z.ZodType => (isWrapper(schema) ? unwrapped(schema.unwrap()) : schema)

// Zod types the parts of a schema as core schemas, which lack the methods. Every schema here is built with `z`, so its parts have them.

export const membersOf = ({ shape }: { shape: z.core.$ZodShape }): Readonly<Record<string, z.ZodType>> =>
  shape as Readonly<Record<string, z.ZodType>>

export const optionsOf = ({ options }: z.ZodUnion): z.ZodType[] => [...(options as readonly z.ZodType[])]

export const isObjectSchema = (schema: z.ZodType): schema is z.ZodObject => schema instanceof z.ZodObject

export const isNullable = (schema: z.ZodType): schema is z.ZodNullable<z.ZodType> => schema instanceof z.ZodNullable

export const isOptional = (schema: z.ZodType): schema is z.ZodOptional<z.ZodType> => schema instanceof z.ZodOptional

export const hasDefault = (schema: z.ZodType): schema is z.ZodDefault<z.ZodType> | z.ZodPrefault<z.ZodType> =>
  schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault

export const isArray = (schema: z.ZodType): schema is z.ZodArray<z.ZodType> => schema instanceof z.ZodArray

export const isRecord = (schema: z.ZodType): schema is z.ZodRecord<z.ZodString, z.ZodType> => schema instanceof z.ZodRecord

export const isUnion = (schema: z.ZodType): schema is z.ZodDiscriminatedUnion<readonly [z.ZodObject, ...z.ZodObject[]]> =>
  schema instanceof z.ZodDiscriminatedUnion
