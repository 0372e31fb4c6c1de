/*
 * Query strings are plain text: `?status=in:ACTIVE,ERROR&search=web`. The router's default serialization would put
 * quotation marks around values.
 */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text))
}

export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (typeof value === 'string' && value !== '') parameters.set(name, value)
    else if (typeof value === 'number' || value === true) parameters.set(name, String(value))
  }
  // these characters are allowed in a query, and `in:a,b` should stay readable
  const text = parameters.toString().replaceAll('%3A', ':').replaceAll('%2C', ',').replaceAll('%2F', '/')
  return text && `?${text}`
}
