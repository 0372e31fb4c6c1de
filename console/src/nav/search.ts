/*
 * The part of an address after `?` is plain text on both sides: `?status=in:ACTIVE,ERROR&search=web`. The router's own
 * form would put quotation marks around every value.
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
  // both are allowed there, and `in:a,b` is to be read by people too
  const text = parameters.toString().replaceAll('%3A', ':').replaceAll('%2C', ',').replaceAll('%2F', '/')
  return text && `?${text}`
}
