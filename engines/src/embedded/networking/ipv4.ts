/** Converts an IPv4 address to a number. */
export const toNumber = (address: string): number =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
export const toAddress = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.')

/** Returns the first and last address of a CIDR, as numbers. */
export function rangeOf(cidr: string): { first: number; last: number } {
  const [base = '', bits = '32'] = cidr.split('/')
  const size = 2 ** (32 - Number(bits))
  const first = Math.floor(toNumber(base) / size) * size
  return { first, last: first + size - 1 }
}

export const isIpv4 = (address: string): boolean => /^\d{1,3}(\.\d{1,3}){3}$/.test(address)
