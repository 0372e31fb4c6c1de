import { readFile } from 'node:fs/promises'

/** Lines that tell where to look further, or point at a place in the input, and never why a program failed. */
const hint =
  /^(\^[\s^~]*|dmesg\(1\) may have more information.*|Dump terminated|Command failed \S+:\d+|(For more information|Try|See|Usage:|hint:).*)$/i
const MOST_LINES = 3
const MOST_CHARACTERS = 400

/**
 * Why a program failed, from what it wrote to standard error: its first lines without hints, in one line; '' where there are none.
 * Programs name the cause first. What follows are consequences, quoted input and advice.
 */
export function reasonIn(errors: string): string {
  const lines = errors.split('\n').map((line) => line.trim().replaceAll(/\s+/g, ' '))
  const told = lines.filter((line) => line !== '' && !hint.test(line))
  return told.slice(0, MOST_LINES).join(' ').slice(0, MOST_CHARACTERS)
}

/** What services write where the host refuses something, and what people are told instead. */
const known: readonly (readonly [RegExp, string])[] = [
  [
    /permanent error missing permission|cannot create ICMPv6 socket: Operation not permitted/i,
    'The server may not open raw sockets on this host (capability CAP_NET_RAW)',
  ],
  [/No space left on device/i, 'The disk of the host is full'],
  [/Cannot allocate memory|out of memory/i, 'The host does not have enough free memory'],
  [
    /Nexthop has invalid gateway|Gateway can ?not be a local address|Nexthop device is not up/i,
    'The next hop of a static route cannot be reached',
  ],
  [/Address already in use/i, 'Another program on the host uses the port'],
]
/** Why something failed in words for people; null where nobody has written any for it. */
export const knownReason = (cause: string): string | null =>
  known.find(([pattern, words]) => pattern.test(cause) || cause === words)?.[1] ?? null

const trouble =
  /error|fail|fatal|\[alert\]|cannot|can't|could not|unable|denied|not permitted|refused|already in use|no such|not found|missing|invalid|illegal|bad /i
/** Of the shell that starts a program, and of a program that ends because of what it wrote before. */
const noCause = /^\S+: line \d+: |^(Stopped|Starting)\b|\bwarning:|errors? found in configuration|^Terminating/i
const stamp = /^([A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ [\d:]+ \d{4}: )/

/**
 * Why a service ended, from its log: words of a known list, or else the last line in which the program names a trouble; '' where
 * there is none. A service runs for a long time, so what it wrote first is not the cause.
 */
export function serviceReasonIn(log: string): string {
  const lines = log.split('\n').map((line) => line.trim().replace(stamp, '').replaceAll(/\s+/g, ' '))
  const told = lines.findLast((line) => trouble.test(line) && !noCause.test(line) && !hint.test(line)) ?? ''
  return (knownReason(told) ?? told).slice(0, MOST_CHARACTERS)
}

/** The last thing that a process said of a trouble; warnings are none. */
export async function lastWords(errorsFile: string): Promise<string | null> {
  const text = await readFile(errorsFile, 'utf8').catch(() => '')
  const lines = text
    .split('\n')
    .filter((line) => line.trim() && !/warning:|^(E?[A-Z]{2,3}\d?|CR\d|DR\d|[CDEFGS]S|GDT|IDT|TR|LDT)\s*=/.test(line))
  return lines.at(-1) ?? null
}
