/** Tables with a few rows for each school. All others grow with people and time, so that work on them takes seconds or minutes. */
const smallTables: ReadonlySet<string> = new Set([
  'school',
  'appearance',
  'staff',
  'lecturer',
  'membership_plan',
  'plan_price',
  'plan_item',
  'form',
  'signing_key',
  'webhook_endpoint',
  'storage_usage',
  'order_counter',
  'document_counter',
  'analytics_state',
  'change_epoch',
  'job_run',
])

/** True for tables on which work takes long. */
export const isLarge = (table: string): boolean => !smallTables.has(table)
