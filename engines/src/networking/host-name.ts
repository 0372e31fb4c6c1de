/** Latin letters that Unicode normalization does not decompose. */
const letters: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', þ: 'th', ł: 'l', ħ: 'h', ı: 'i', ŋ: 'ng', ŧ: 't' },
}

/**
 * Names that guests resolve to something other than a virtual machine: themselves, network services, cloud metadata
 * (`instance-data`, `data-server`), or the Windows proxy and tunnel services (`wpad`, `isatap`).
 */
const reserved: ReadonlySet<string> = new Set([
  ...['localhost', 'localdomain', 'ip6-localhost', 'ip6-loopback', 'broadcasthost', 'local', 'internal', 'invalid'],
  ...['gateway', 'router', 'dhcp', 'dns', 'metadata', 'instance-data', 'data-server', 'mainstay', 'wpad', 'isatap'],
])
/** Whether a label is numeric. Programs may parse a numeric label as an address. */
const isNumber = (label: string): boolean => /^(\d+|0x[\da-f]*)$/.test(label)

/**
 * Derives a host name from a virtual machine's name. If nothing usable remains or the result is reserved, derives it
 * from the ID, so that it is unique.
 */
export function hostNameOf(name: string, id: string): string {
  const label = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^\0-\x7f]/gu, (letter) => letters[letter] ?? letter)
    .replace(/[^a-z0-9-]+/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '')
  return label === '' || reserved.has(label) || isNumber(label) ? `vm-${shortOf(id)}` : label
}

/** Returns a host name with a suffix derived from the ID, for a virtual machine whose host name is taken. */
export const distinctHostName = (hostName: string, id: string): string =>
  `${hostName.slice(0, 54).replace(/-+$/, '')}-${shortOf(id)}`

const shortOf = (id: string): string => id.replaceAll('-', '').slice(0, 8).toLowerCase()
