import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { findProgram } from '../../host/programs'
import type { SshTarget } from '../ssh-link'

/** An SSH server on this host, for the user of the tests. */
export interface TestSshd {
  target: SshTarget
  /** Creates another key pair. `accept` adds it to the accepted keys. */
  key(name: string, accept?: boolean): { privateKey: string; publicKey: string }
  close(): Promise<void>
}

/**
 * Starts `sshd` on a free port of the loopback interface. `command` replaces the command that clients request, as the
 * `authorized_keys` line of a registered host does.
 */
export async function startSshd({ command = 'cockpit-bridge' } = {}): Promise<TestSshd> {
  const folder = mkdtempSync(join(tmpdir(), 'mainstay-sshd-'))
  const accepted = join(folder, 'authorized_keys')
  const key: TestSshd['key'] = (name, accept = false) => {
    const file = join(folder, name)
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', file])
    const publicKey = readFileSync(`${file}.pub`, 'utf8').trim()
    if (accept) writeFileSync(accepted, `restrict,command="${command}" ${publicKey}\n`)
    return { privateKey: readFileSync(file, 'utf8'), publicKey }
  }
  const host = key('host')
  const { privateKey } = key('client', true)
  const port = await freePort()
  const settings = [
    `ListenAddress 127.0.0.1:${port}`,
    `HostKey ${join(folder, 'host')}`,
    `AuthorizedKeysFile ${accepted}`,
    'PidFile none',
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
    'MaxStartups 100',
  ]
  writeFileSync(join(folder, 'config'), `${settings.join('\n')}\n`)
  // the folder for privilege separation, which is usually created by the package's service
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const child = spawn(findProgram('sshd') ?? 'sshd', ['-D', '-e', '-f', join(folder, 'config')], { stdio: 'ignore' })
  await untilListening(port)
  return {
    target: { address: '127.0.0.1', port, user: userInfo().username, privateKey, hostKey: host.publicKey },
    key,
    close: () =>
      new Promise((resolve) => {
        child.once('close', () => {
          rmSync(folder, { recursive: true, force: true })
          resolve()
        })
        child.kill()
      }),
  }
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

async function untilListening(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
    if (isOpen) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`sshd does not listen on port ${port}`)
}
