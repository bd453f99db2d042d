import { type CompiledQuery, type Dialect, PostgresQueryCompiler, type QueryId, type RootOperationNode } from 'kysely'

/** The school of a statement, as a value that `SchoolQueryCompiler` binds once, however often the statement names it. */
export class SchoolParameter {
  readonly id: string

  constructor(id: string) {
    this.id = id
  }
}

/** A compiled statement of a handle of one school. */
interface SchoolCompiledQuery extends CompiledQuery {
  /** The index of the school among the parameters. Undefined for a statement without tables. */
  schoolAt?: number | undefined
}

/**
 * Compiles every mention of the school to the same parameter, so that the planner knows that all tables have the same school: it then
 * plans joins as if their columns had been compared with each other.
 */
export class SchoolQueryCompiler extends PostgresQueryCompiler {
  #schoolAt: number | undefined

  override compileQuery(node: RootOperationNode, queryId: QueryId): SchoolCompiledQuery {
    this.#schoolAt = undefined
    const compiled = super.compileQuery(node, queryId)
    return this.#schoolAt === undefined ? compiled : { ...compiled, schoolAt: this.#schoolAt }
  }

  protected override appendValue(value: unknown): void {
    if (!(value instanceof SchoolParameter)) super.appendValue(value)
    else if (this.#schoolAt !== undefined) this.append(`$${this.#schoolAt + 1}`)
    else {
      this.#schoolAt = this.numParameters
      super.appendValue(value.id)
    }
  }
}

/** Returns the parameter that contains the school, if a handle of one school has compiled the statement. */
export const schoolOf = (compiled: CompiledQuery): unknown => {
  const { schoolAt }: SchoolCompiledQuery = compiled
  return schoolAt === undefined ? undefined : compiled.parameters[schoolAt]
}

/** Returns the dialect with the compiler that binds the school of a statement once. */
export const compiledBySchool = (dialect: Dialect): Dialect => ({
  createAdapter: () => dialect.createAdapter(),
  createDriver: () => dialect.createDriver(),
  createIntrospector: (kysely) => dialect.createIntrospector(kysely),
  createQueryCompiler: () => new SchoolQueryCompiler(),
})
