/**
 * Raw SQL over the same pool (or embedded database) that Prisma and Kysely use: for the artefacts of the OpenID engine,
 * which are looked up on every request.
 */
export interface Sql {
  /**
   * Runs one statement. `name` makes it a prepared statement where the database keeps them.
   * @throws Error where it is called on the outer handle inside a transaction: on the embedded database that would wait for ever.
   */
  query<Row extends object = Record<string, unknown>>(text: string, values?: readonly unknown[], name?: string): Promise<Row[]>
}
