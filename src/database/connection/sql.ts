/**
 * Statements as text, over the same connections as Kysely: for the artifacts of the OpenID engine, migrations and the computation of
 * whole tables. The domain and the resources use Kysely.
 */
export interface Sql {
  /**
   * Runs one statement. `name` makes it a prepared statement where the database keeps them.
   * @throws Error where it is called on the outer handle inside a transaction: on the embedded database that would wait for ever.
   */
  query<Row extends object = Record<string, unknown>>(text: string, values?: readonly unknown[], name?: string): Promise<Row[]>
}
