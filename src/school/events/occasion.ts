export interface Occasion {
  starts_at: string | Date
  ends_at: string | Date
  location?: unknown
}
