import { constants } from 'node:os'
import { says } from '@mainstay/contract/core/said'
import { LinkFault } from './link-fault'
import type { Ended } from './node-link'

/** Collects the output of a command, up to a number of bytes. */
export class OutputOf {
  private readonly pieces = { out: [] as Buffer[], err: [] as Buffer[] }
  private size = 0

  private readonly host: string
  private readonly most: number

  constructor(host: string, most: number) {
    this.host = host
    this.most = most
  }

  /** Adds output. Returns a fault if the output is now too long, otherwise null. */
  add(stream: 'out' | 'err', bytes: Buffer): LinkFault | null {
    this.size += bytes.length
    if (this.size > this.most)
      return new LinkFault('too_long', says('infrastructure.host_output', { host: this.host, most: this.most }))
    this.pieces[stream].push(bytes)
    return null
  }

  ended(code: number | null, signal: string | null): Ended {
    const status = code ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? 0)
    const text = (stream: 'out' | 'err') => Buffer.concat(this.pieces[stream]).toString()
    return { status, out: text('out'), err: text('err') }
  }
}
