const two = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'))

/**
 * Returns a time as text, exactly as `Date.prototype.toISOString` does, in a fraction of its time: a list contains about a hundred times.
 * @throws RangeError if the time is invalid
 */
export function isoText(time: Date): string {
  const year = time.getUTCFullYear()
  if (!(year >= 1000 && year <= 9999)) return time.toISOString()
  const date = `${year}-${two[time.getUTCMonth() + 1]}-${two[time.getUTCDate()]}`
  const clock = `${two[time.getUTCHours()]}:${two[time.getUTCMinutes()]}:${two[time.getUTCSeconds()]}`
  const milliseconds = time.getUTCMilliseconds()
  return `${date}T${clock}.${milliseconds < 100 ? '0' : ''}${two[milliseconds] ?? milliseconds}Z`
}
