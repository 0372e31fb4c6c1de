/** Latin letters that Unicode does not take apart into a letter and marks. */
const letters: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', þ: 'th', ł: 'l', ħ: 'h', ı: 'i', ŋ: 'ng', ŧ: 't' },
}

/**
 * Names that guests and their programs look up to find something other than a machine: themselves, the services of the network,
 * the metadata of clouds (`instance-data`, `data-server`), or the proxy and the tunnel of Windows (`wpad`, `isatap`).
 */
const reserved: ReadonlySet<string> = new Set([
  ...['localhost', 'localdomain', 'ip6-localhost', 'ip6-loopback', 'broadcasthost', 'local', 'internal', 'invalid'],
  ...['gateway', 'router', 'dhcp', 'dns', 'metadata', 'instance-data', 'data-server', 'mainstay', 'wpad', 'isatap'],
])
/** Programs read these as the numbers of addresses. */
const isNumber = (label: string): boolean => /^(\d+|0x[\da-f]*)$/.test(label)

/**
 * The host name that follows from the name of a machine. Where nothing of the name can be kept, or the result would be reserved,
 * it is made of the ID, so that two machines have two names.
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

/** A host name that differs from that of another machine of the same name. */
export const distinctHostName = (hostName: string, id: string): string =>
  `${hostName.slice(0, 54).replace(/-+$/, '')}-${shortOf(id)}`

const shortOf = (id: string): string => id.replaceAll('-', '').slice(0, 8).toLowerCase()
