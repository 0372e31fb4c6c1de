import { readFileSync } from 'node:fs'
import process from 'node:process'

/** A process with at least this many capabilities is treated as having all of them. */
const MANY = 30

/** Terminal lines that describe the capabilities of a server started as root; empty for any other user. */
export function rightsOfRoot(): string[] {
  if (process.getuid?.() !== 0) return []
  const mask = /^CapEff:\s*([0-9a-f]+)/m.exec(statusOfThis())?.[1]
  const held = [...BigInt(`0x${mask ?? '0'}`).toString(2)].filter((bit) => bit === '1').length
  return [
    'as root          child processes run as separate users: mainstay-db, mainstay-vm, mainstay-files, mainstay-dns, mainstay-metadata, mainstay-lb, mainstay-vpn, mainstay-metrics',
    held < MANY
      ? `                 the server keeps ${held} Linux capabilities: to manage these processes, to own its data and to listen on ports below 1024`
      : `                 the server has all rights of root; start it with npm start, which drops those that it does not need, or as an ordinary user`,
  ]
}

function statusOfThis(): string {
  try {
    return readFileSync('/proc/self/status', 'utf8')
  } catch {
    return ''
  }
}
