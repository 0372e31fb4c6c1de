import { spawn } from 'node:child_process'
import { hostname } from 'node:os'
import process from 'node:process'
import { says } from '@mainstay/contract/core/said'
import { LinkFault } from './link-fault'
import { linkOver, type Exec } from './link-over'
import type { NodeLink } from './node-link'
import { OutputOf } from './output-of'

/** Opens the link to the host of this server. Its commands are child processes. */
export function openLocalLink(): Promise<NodeLink> {
  const address = hostname()
  const ended = new AbortController()
  return linkOver({
    exec: execHere(address),
    address,
    lost: ended.signal,
    async close() {
      ended.abort(new LinkFault('closed', says('infrastructure.host_link_closed', { host: address })))
    },
  })
}

const execHere =
  (host: string): Exec =>
  ([program = '', ...args], { input, signal, most }) =>
    new Promise((resolve, reject) => {
      const child = spawn(program, args, { cwd: '/', env: { PATH: process.env['PATH'] ?? '' } })
      const output = new OutputOf(host, most)
      const fail = (error: unknown) => {
        child.kill('SIGTERM')
        for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
        reject(error)
      }
      const onAbort = () => fail(signal.reason)
      if (signal.aborted) return onAbort()
      signal.addEventListener('abort', onAbort, { once: true })
      const take = (stream: 'out' | 'err') => (bytes: Buffer) => {
        const fault = output.add(stream, bytes)
        if (fault) fail(fault)
      }
      child.stdout.on('data', take('out'))
      child.stderr.on('data', take('err'))
      // a command that exits early does not read its input
      child.stdin.on('error', () => undefined).end(input)
      child.once('error', fail)
      child.once('close', (code, by) => {
        signal.removeEventListener('abort', onAbort)
        resolve(output.ended(code, by))
      })
    })
