import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import { says } from '@mainstay/contract/core/said'
import pLimit from 'p-limit'
import { LinkFault } from './link-fault'
import { linkOver } from './link-over'
import type { NodeLink } from './node-link'
import { Bridge } from './ssh/bridge'
import { ALIAS, removeKeys, writeKeys } from './ssh/key-folders'
import { faultOfSsh } from './ssh/ssh-fault'

/** A registered host. */
export interface SshTarget {
  /** Host name or address. */
  address: string
  port: number
  user: string
  /** Our private key in OpenSSH format. */
  privateKey: string
  /** The pinned public key of the host: type and base64, such as `ssh-ed25519 AAAA…`. */
  hostKey: string
}

/** Time limits, and the program that connects. Only tests change them. */
export interface SshLimits {
  ssh: string
  connectMs: number
  frameMs: number
}

const usual: SshLimits = { ssh: 'ssh', connectMs: 20_000, frameMs: 15_000 }

/**
 * Limits how many connections are opened at the same time. Each host that is down takes the full time limit, so many of
 * them must neither exhaust this host nor delay the connections to other hosts for long.
 */
const opening = pLimit(16)

/**
 * Opens a link to a remote host through `ssh`, which checks the pinned host key and starts `cockpit-bridge` there.
 * `signal` cancels the attempt. Throws a `LinkFault`.
 */
export const openSshLink = (
  target: SshTarget,
  signal: AbortSignal,
  limits: Partial<SshLimits> = {},
): Promise<NodeLink> => opening(() => connect(target, signal, { ...usual, ...limits }))

async function connect(target: SshTarget, signal: AbortSignal, limits: SshLimits): Promise<NodeLink> {
  signal.throwIfAborted()
  const folder = await writeKeys(target)
  const attempt = new Attempt(target, limits, folder, signal)
  try {
    return await attempt.link()
  } catch (error) {
    attempt.end(error)
    throw signal.aborted ? signal.reason : attempt.lost.reason
  } finally {
    // ssh has already read the keys and does not read them again
    await removeKeys(folder)
  }
}

/** A single ssh process, from its start until it exits. */
class Attempt {
  private readonly ended = new AbortController()
  private readonly child: ChildProcessWithoutNullStreams
  private readonly bridge: Bridge
  private errors = ''
  private isReady = false
  private readonly target: SshTarget
  private readonly limits: SshLimits
  private readonly signal: AbortSignal

  constructor(target: SshTarget, limits: SshLimits, folder: string, signal: AbortSignal) {
    this.target = target
    this.limits = limits
    this.signal = signal
    this.child = spawn(limits.ssh, sshArguments(target, folder), {
      env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' },
    })
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.errors = (this.errors + text).slice(-MOST_ERRORS)
    })
    this.child.stdin.on('error', () => undefined)
    this.bridge = new Bridge({
      ...{ host: target.address, input: this.child.stdin, output: this.child.stdout, frameMs: limits.frameMs },
      onFault: (fault) => this.end(fault),
    })
    void this.bridge.ready.then(() => (this.isReady = true))
    this.child.once('error', (error) =>
      this.end(faultOfSsh(target.address, { code: null, errors: error.message, isReady: false })),
    )
    this.child.once('close', (code) =>
      this.end(faultOfSsh(target.address, { code, errors: this.errors, isReady: this.isReady })),
    )
  }

  get lost(): AbortSignal {
    return this.ended.signal
  }

  async link(): Promise<NodeLink> {
    const host = this.target.address
    const timer = setTimeout(
      () => this.end(new LinkFault('timeout', says('infrastructure.host_timeout', { host }))),
      this.limits.connectMs,
    )
    const onAbort = () => this.end(this.signal.reason)
    this.signal.addEventListener('abort', onAbort, { once: true })
    try {
      const { lost } = this
      await Promise.race([this.bridge.ready, whenAborted(lost)])
      const close = async () => this.end(new LinkFault('closed', says('infrastructure.host_link_closed', { host })))
      return await linkOver({ exec: this.bridge.exec, address: host, lost, close })
    } finally {
      clearTimeout(timer)
      this.signal.removeEventListener('abort', onAbort)
    }
  }

  /** Ends the process. Only the first reason is kept. */
  end(reason: unknown): void {
    this.ended.abort(reason)
    this.bridge.stop()
    this.child.stdin.end()
    this.child.kill('SIGTERM')
  }
}

const MOST_ERRORS = 4_000

const whenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const fail = () => reject(signal.reason as Error)
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })

/** Returns the arguments for ssh, which make it ignore the configuration, keys and agents of the server's user. */
function sshArguments({ address, port, user }: SshTarget, folder: string): string[] {
  const options = {
    BatchMode: 'yes',
    CheckHostIP: 'no',
    ClearAllForwardings: 'yes',
    ConnectTimeout: '10',
    ControlMaster: 'no',
    ControlPath: 'none',
    GlobalKnownHostsFile: '/dev/null',
    HostKeyAlias: ALIAS,
    IdentitiesOnly: 'yes',
    IdentityAgent: 'none',
    IdentityFile: join(folder, 'key'),
    LogLevel: 'ERROR',
    PreferredAuthentications: 'publickey',
    ServerAliveCountMax: '3',
    ServerAliveInterval: '5',
    StrictHostKeyChecking: 'yes',
    UpdateHostKeys: 'no',
    UserKnownHostsFile: join(folder, 'known_hosts'),
  }
  const words = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  return ['-F', 'none', '-T', ...words, '-p', `${port}`, '-l', user, '--', address, 'cockpit-bridge']
}
