import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { CallRequest } from '../../../../http/serve'
import { registrationCommand } from './command'
import { registrationScript } from './script'

const KEY = 'ssh-ed25519 AAAAourkey mainstay'
const usual = ['port 22', 'permitrootlogin prohibit-password', 'authorizedkeysfile .ssh/authorized_keys']
let folder: string
let keys: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'script-'))
  keys = join(folder, '.ssh', 'authorized_keys')
  for (const name of ['bin', '.ssh']) await mkdir(join(folder, name))
  await writeFile(join(folder, 'machine-id'), `${'a'.repeat(32)}\n`)
  await writeFile(join(folder, 'host.pub'), 'ssh-ed25519 AAAAhost\n')
})
afterEach(() => rm(folder, { recursive: true }))

/**
 * Runs the script on a host that is simulated in a folder. `status`: HTTP status that the installation returns; 0 if it
 * does not respond.
 */
async function run({ status = 202, settings = usual }: { status?: number; settings?: readonly string[] }) {
  const lines = [...settings, `hostkey ${join(folder, 'host')}`].join('\n')
  await writeFile(join(folder, 'host.ed25519.pub'), 'ssh-ed25519 AAAAhost\n')
  const programs = {
    id: 'echo 0',
    sshd: `cat <<'END'\n${lines.replace(/host$/, 'host.ed25519')}\nEND`,
    curl: status === 0 ? 'exit 7' : `cat >/dev/null; printf '{}\\n${status}'`,
    getent: `[ "$1" != passwd ] || echo 'root:x:0:0:root:${folder}:/bin/sh'`,
    ...{ 'cockpit-bridge': ':', systemctl: ':', ip: ':' },
  }
  for (const [name, text] of Object.entries(programs))
    await writeFile(join(folder, 'bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  const script = registrationScript(KEY)
    .replaceAll('/run/sshd', join(folder, 'run'))
    .replaceAll('/etc/machine-id', join(folder, 'machine-id'))
    .replace(/^PATH=/m, `PATH=${join(folder, 'bin')}:`)
  return new Promise<string>((resolve) => {
    const child = execFile('sh', ['-s', '--', 'https://console.example', 'reg-x'], (_, out, err) => resolve(out + err))
    child.stdin!.end(script)
  })
}
const kept = () => readFile(keys, 'utf8').catch(() => '')

it('adds our key on a line of its own', async () => {
  await writeFile(keys, 'ssh-ed25519 AAAAother ada')
  expect(await run({})).toContain('being registered')
  expect(await kept()).toBe(`ssh-ed25519 AAAAother ada\nrestrict,command="cockpit-bridge" ${KEY}\n`)
})

it('removes our key if the installation refuses the host, unless it was there before', async () => {
  await run({ status: 409 })
  expect(await kept()).toBe('')
  expect(await run({ status: 0 })).toContain('did not answer')
  expect(await kept()).toContain(KEY)
  expect(await run({ status: 409 })).toContain('did not accept this host')
  expect(await kept()).toContain(KEY)
})

it.for([
  ['permitrootlogin no', 'PermitRootLogin no'],
  ['pubkeyauthentication no', 'PubkeyAuthentication no'],
  ['authorizedkeysfile /etc/ssh/keys/%u', 'AuthorizedKeysFile /etc/ssh/keys/%u'],
] as const)('names a setting of the SSH server that refuses our key: %s', async ([setting, named]) => {
  expect(await run({ settings: [setting, ...usual] })).toContain(named)
  expect(await kept()).toBe('')
})

it.for([
  ['192.0.2.7', '192.0.2.7'],
  ['2001:db8::7', '[2001:db8::7]'],
  ['cloud.example', 'cloud.example'],
  ['0.0.0.0', hostname()],
  ['127.0.0.1', hostname()],
] as const)('the command names the address that the server is bound to, or its name: %s', ([host, named]) => {
  const tools = {
    config: { host, adminPort: 8888, adminAddress: null },
    certificate: { pair: () => null },
    consoleAddresses: { of: () => null },
  } as unknown as Parameters<typeof registrationCommand>[0]
  expect(registrationCommand(tools, {} as CallRequest, 'reg-x').command).toContain(` -- 'http://${named}:8888' 'reg-x'`)
})
