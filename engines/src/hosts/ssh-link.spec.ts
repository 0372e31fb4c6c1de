import { readdir } from 'node:fs/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { wordsOf } from '../host/processes'
import type { NodeLink } from './node-link'
import { openSshLink, type SshLimits } from './ssh-link'
import { fakeSsh, type FakeSsh } from './testing/fake-ssh'

const keys = { privateKey: 'private', hostKey: 'ssh-ed25519 AAAA' }
const fakes: FakeSsh[] = []
const links: NodeLink[] = []
afterEach(async () => {
  for (const link of links.splice(0)) await link.close()
  for (const fake of fakes.splice(0)) await fake.remove()
})

async function opened(script: string, limits: Partial<SshLimits> = {}, signal = AbortSignal.timeout(60_000)) {
  const fake = await fakeSsh(script)
  fakes.push(fake)
  const target = { address: 'far.example', port: 22, user: 'root', ...keys }
  const link = await openSshLink(target, signal, { ssh: fake.ssh, ...limits })
  links.push(link)
  return link
}

describe('opening a link', () => {
  it.for([
    ['ssh: connect to host far port 22: Connection refused', 'unreachable', 'Connection refused'],
    ['ssh: Could not resolve hostname far: Name or service not known', 'unreachable', 'Name or service not known'],
    ['@@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @@', 'host_key_changed', 'register the host again'],
    [
      'No ED25519 host key is known for node\nHost key verification failed.',
      'host_key_changed',
      'register the host again',
    ],
    ['root@far: Permission denied (publickey).', 'refused_key', 'Prepare a reinstallation'],
  ] as const)('explains a failure of ssh: %s', async ([errors, reason, text]) => {
    const opening = opened(`printf '%s\\n' '${errors}' >&2; exit 255`)
    await expect(opening).rejects.toMatchObject({
      reason,
      code: 'node_unreachable',
      data: { host: 'far.example', reason },
    })
    await expect(opening).rejects.toThrow(text)
  })

  it('names the package if the bridge is missing on the host', async () => {
    const opening = opened(`echo 'sh: 1: cockpit-bridge: not found' >&2; exit 127`)
    await expect(opening).rejects.toMatchObject({ reason: 'no_bridge' })
    await expect(opening).rejects.toThrow('apt-get install cockpit-bridge')
  })

  it('names the program if ssh is missing on this host', async () => {
    await expect(opened('', { ssh: '/nowhere/ssh' })).rejects.toThrow('/nowhere/ssh ENOENT')
  })

  it.for<[string, string]>([
    ['hangs before its first message', 'exec sleep 60'],
    ['hangs in its first message', `printf '40\\n\\n{"command"'; exec sleep 60`],
    ['does not run a first program', 'hello; exec sleep 60'],
  ])('gives up on a host that %s', async ([, script]) => {
    const begun = performance.now()
    await expect(opened(script, { connectMs: 400 })).rejects.toMatchObject({ reason: 'timeout' })
    expect(performance.now() - begun).toBeLessThan(10_000)
  })

  it.for<[string, string, string]>([
    ['text instead of a frame', 'echo Welcome to this host; exec sleep 60', 'instead of the length of a frame'],
    ['100 MiB without a frame', 'head -c 104857600 /dev/zero; exec sleep 60', 'instead of the length of a frame'],
    ['a frame of 99 MB', 'echo 99999999; head -c 104857600 /dev/zero', 'a frame of 99999999 bytes'],
    ['another version', `frame '' '{"command":"init","version":2}'; exec sleep 60`, 'version 2'],
    ['a reason', `frame '' '{"command":"init","version":1,"problem":"no-cockpit"}'; exec sleep 60`, 'no-cockpit'],
    ['no JSON', `frame '' 'hello'; exec sleep 60`, 'not readable'],
  ])('ends the link if the bridge answers %s', async ([, script, text]) => {
    const opening = opened(script)
    await expect(opening).rejects.toMatchObject({ reason: 'bridge_fault' })
    await expect(opening).rejects.toThrow(text)
  })

  it('is cancelled by the caller', async () => {
    const cancel = new AbortController()
    const opening = opened('exec sleep 60', {}, cancel.signal)
    setTimeout(() => cancel.abort(new Error('cancelled by the caller')), 100)
    await expect(opening).rejects.toThrow('cancelled by the caller')
  })

  it.for([
    ['root', '0', '', 'root'],
    ['root by sudo without a password', '1000', 'sudo', 'sudo'],
    ['an ordinary user, whose sudo asks for a password', '1000', '', 'none'],
  ] as const)('tells that the platform is %s there', async ([, uid, sudo, rights]) => {
    const link = await opened(`hello; whoami ada ${uid} ${sudo}; exec sleep 60`)
    expect(link).toMatchObject({ hostname: 'far', rights })
    if (rights !== 'none') return
    await expect(link.run(['id'], { asRoot: true })).rejects.toThrow('ada ALL=(ALL) NOPASSWD: ALL')
  })
})

describe('an open link', () => {
  const open = (script: string, limits: Partial<SshLimits> = {}) =>
    opened(`hello; whoami root 0; asked; ${script}`, limits)

  it('ends a command that does not respond within its time limit, and stays open', async () => {
    const link = await open('asked; frame c3 on; ended c3; exec sleep 60')
    await expect(link.run(['true'], { withinMs: 300 })).rejects.toMatchObject({ reason: 'timeout' })
    expect(link.lost.aborted).toBe(false)
    expect((await link.run(['true'])).out).toBe('on')
  })

  it.for([
    ['stops in the middle of a frame', `printf '100\\nc2\\nhalf'; exec sleep 60`, 'bridge_fault', 'middle of a frame'],
    ['sends garbage', 'echo garbage; exec sleep 60', 'bridge_fault', 'instead of the length of a frame'],
    ['sends an empty frame', 'echo 0; exec sleep 60', 'bridge_fault', 'an empty frame'],
    ['sends a frame without a channel', 'printf "3\\nabc"; exec sleep 60', 'bridge_fault', 'without a channel'],
    ['ends', 'exit 1', 'bridge_fault', 'cockpit-bridge ended'],
    [
      'is cut off',
      `echo 'Timeout, server far not responding.' >&2; exit 255`,
      'unreachable',
      'server far not responding',
    ],
  ] as const)('is lost, with all commands, if the bridge %s', async ([, script, reason, text]) => {
    const link = await open(script, { frameMs: 300 })
    const [first, second] = await Promise.allSettled([link.run(['true']), link.run(['false'])])
    expect(first).toMatchObject({ status: 'rejected', reason: { reason } })
    expect(second).toEqual(first)
    expect(link.lost.reason).toMatchObject({ reason })
    expect(String(link.lost.reason)).toContain(text)
  })

  it('limits the output of a program that prints 100 MiB', async () => {
    const link = await open(
      `block=$(head -c 65536 /dev/zero | tr '\\0' x); n=0; while [ $n -lt 1600 ]; do frame c2 "$block"; n=$((n + 1)); done; exec sleep 60`,
    )
    const before = process.memoryUsage().arrayBuffers
    let most = 0
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers - before)), 5)
    await expect(link.run(['yes'], { most: 1024 * 1024 })).rejects.toMatchObject({ reason: 'too_long' })
    clearInterval(watch)
    expect(most).toBeLessThan(40 * 1024 * 1024)
    expect(link.lost.aborted).toBe(false)
  })
})

it('opens 64 links, a third of which are down, at most 16 at a time', { tags: 'all' }, async () => {
  const hang = `60.${process.pid}`
  const fake = await fakeSsh(`
    case $address in *[147]) exec sleep ${hang} ;; esac
    hello; whoami root 0; exec sleep 60`)
  fakes.push(fake)
  let most = 0
  const count = async () => {
    const words = await Promise.all(
      (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map((pid) => wordsOf(+pid)),
    )
    most = Math.max(most, words.filter((all) => all[1] === hang).length)
  }
  const watch = setInterval(() => void count(), 100)
  const begun = performance.now()
  const all = await Promise.allSettled(
    Array.from({ length: 64 }, async (_, n) => {
      const target = { address: `10.0.0.${n}`, port: 22, user: 'root', ...keys }
      const link = await openSshLink(target, AbortSignal.timeout(60_000), { ssh: fake.ssh, connectMs: 8_000 })
      await link.close()
    }),
  )
  clearInterval(watch)
  const down = all.flatMap((one, n) => (one.status === 'rejected' ? [n] : []))
  expect(down).toEqual(Array.from({ length: 64 }, (_, n) => n).filter((n) => [1, 4, 7].includes(n % 10)))
  expect(performance.now() - begun).toBeLessThan(30_000)
  expect(most).toBeGreaterThan(0)
  expect(most).toBeLessThanOrEqual(16)
})
