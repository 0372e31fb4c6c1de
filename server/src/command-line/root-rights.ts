import { readFileSync } from 'node:fs'
import process from 'node:process'

/** So many rights of root the kernel knew when this was written; more of them is all of them. */
const MANY = 30

/** What a server that is root does with that, in lines for the terminal; none where it is an ordinary user's. */
export function rightsOfRoot(): string[] {
  if (process.getuid?.() !== 0) return []
  const mask = /^CapEff:\s*([0-9a-f]+)/m.exec(statusOfThis())?.[1]
  const held = [...BigInt(`0x${mask ?? '0'}`).toString(2)].filter((bit) => bit === '1').length
  return [
    'as root          children run as users of their own: mainstay-db, mainstay-vm, mainstay-files, mainstay-dns, mainstay-metadata, mainstay-lb, mainstay-vpn, mainstay-metrics',
    held < MANY
      ? `                 it keeps ${held} of root's rights, to start and end them, own its data and open low ports`
      : `                 it holds all of root's rights: npm start gives up what is not needed; better be an ordinary user`,
  ]
}

function statusOfThis(): string {
  try {
    return readFileSync('/proc/self/status', 'utf8')
  } catch {
    return ''
  }
}
