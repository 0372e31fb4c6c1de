/** Folds a name for comparison, so that `Ada` equals `ADA`. */
export const folded = (name: string): string => name.normalize('NFKC').toLowerCase()

const hex = /^[0-9a-f]{2}$/i

/**
 * Normalizes a distinguished name (RFC 4514) so that names can be compared regardless of case, escaping, and spaces
 * around attribute names and values. The order of the components matters.
 */
export function sameDn(dn: string): string {
  let out = ''
  let part: number[] = []
  // escaped trailing spaces are part of the value
  let kept = 0
  const finish = (separator: string) => {
    const text = Buffer.from(part.slice(0, Math.max(kept, lastVisible(part)))).toString('utf8')
    out += folded(text).replace(/[\\,+=]/g, '\\$&') + separator
    part = []
    kept = 0
  }
  const lastVisible = (bytes: number[]) => bytes.findLastIndex((byte) => byte !== 0x20) + 1
  const bytes = Buffer.from(dn, 'utf8')
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!
    const one = String.fromCharCode(byte)
    if (one === '\\') {
      const pair = bytes.subarray(at + 1, at + 3).toString('latin1')
      if (hex.test(pair)) part.push(parseInt(pair, 16))
      else if (at + 1 < bytes.length) part.push(bytes[at + 1]!)
      at += hex.test(pair) ? 2 : 1
      kept = part.length
    } else if (one === ',' || one === ';') finish(',')
    else if (one === '+') finish('+')
    else if (one === '=' && !part.includes(0x3d) && !out.endsWith('=')) finish('=')
    else if (byte !== 0x20 || part.length > 0) part.push(byte)
  }
  finish('')
  return out
}

/** Normalized values of an attribute in the first component of a distinguished name, which names the entry. */
export function namingValues(dn: string, attribute: string): string[] {
  const [first = ''] = /^(\\.|[^\\,])*/s.exec(sameDn(dn)) ?? []
  return [...first.matchAll(/((?:\\.|[^\\=+])*)=((?:\\.|[^\\+])*)/gs)]
    .filter(([, type]) => type === attribute.toLowerCase())
    .map(([, , value = '']) => value.replaceAll(/\\(.)/gs, '$1'))
}
