import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram, runProgram } from '../../../host/programs'
import { pause } from '../../../host/processes'
import { folderOf, removeFolder } from './driver-process'

/*
 * For VPN specs: a separate host, and a remote site connected to it by a cable. The site runs an independent
 * strongSwan, which has its own `swanctl.conf`. Both are network namespaces outside the capsule.
 */

export interface OutsideSite {
  /** Prefix for running a command on the separate host. */
  host: string[]
  address: string
  /** An address in the range behind the site. */
  inside: string
  range: string
  run(script: string): Promise<string>
  /** Loads the settings of the site. Returns the output of `swanctl`. */
  load(swanctl: string): Promise<string>
  end(): Promise<void>
}

const [hostAddress, address, inside, range] = ['192.0.2.1', '192.0.2.2', '10.50.0.5', '10.50.0.0/24']

/** Requires root, to create another host. */
export async function openOutsideSite(esp: 'kernel' | 'userland'): Promise<OutsideSite> {
  const folder = folderOf('mainstay-site-', false)
  const started: ChildProcess[] = []
  /** Starts a process in its own network namespace. */
  async function place(): Promise<number> {
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'unshare', '--net', 'sleep', 'infinity'], {
      stdio: 'ignore',
      cwd: '/',
    })
    started.push(child)
    while ((await runProgram(['cat', `/proc/${child.pid}/comm`]).catch(() => '')).trim() !== 'sleep') await pause(10)
    return child.pid!
  }
  const [host, site] = [await place(), await place()]
  const at = (pid: number) => [findProgram('nsenter') ?? 'nsenter', `--net=/proc/${pid}/ns/net`, '--']
  const run = (script: string) => runProgram([...at(site), 'sh'], script)
  const cable = [
    'link set dev lo up',
    `link add site type veth peer name eth0 netns ${site}`,
    `address add ${hostAddress}/24 dev site`,
    'link set dev site up',
  ]
  const ends = [
    'link set dev lo up',
    `address add ${inside}/32 dev lo`,
    `address add ${address}/24 dev eth0`,
    'link set dev eth0 up',
  ]
  await runProgram([...at(host), 'ip', '-batch', '-'], cable.join('\n'))
  await runProgram([...at(site), 'ip', '-batch', '-'], ends.join('\n'))

  const plugins = `random nonce openssl pem pkcs1 pubkey x509 constraints kdf ${esp === 'userland' ? 'kernel-libipsec ' : ''}kernel-netlink socket-default vici`
  const socket = join(folder, 'vici.sock')
  writeFileSync(
    join(folder, 'strongswan.conf'),
    `charon {
  load = ${plugins}
  filelog {
    stdout {
      default = 1
    }
  }
  plugins {
    vici {
      socket = unix://${socket}
    }
  }
}
swanctl {
  load = ${plugins}
}
`,
  )
  const settings = `STRONGSWAN_CONF='${folder}/strongswan.conf'`
  const daemon = `mount -t tmpfs tmpfs /run && ${settings} exec setpriv --pdeathsig KILL /usr/lib/ipsec/charon >'${folder}/log' 2>&1`
  const [nsenter, ...words] = [...at(site), 'unshare', '--mount', 'sh', '-c', daemon]
  started.push(spawn(nsenter, words, { stdio: 'ignore', cwd: '/' }))
  for (const end = Date.now() + 10_000; !existsSync(socket) && Date.now() < end;) await pause(20)

  return {
    ...{ host: at(host), address, inside, range, run },
    async load(swanctl) {
      mkdirSync(join(folder, 'swanctl'), { recursive: true, mode: 0o700 })
      writeFileSync(join(folder, 'swanctl', 'swanctl.conf'), swanctl, { mode: 0o600 })
      return run(
        `SWANCTL_DIR='${folder}/swanctl' ${settings} swanctl --load-all --uri 'unix://${socket}' 2>&1 || true\n`,
      )
    },
    async end() {
      for (const child of started.toReversed()) {
        const gone = new Promise((done) => child.once('exit', done))
        if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await gone
      }
      removeFolder(folder)
    },
  }
}
