import { chmodSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, beforeEach, expect } from 'vitest'
import { testOn } from '../../../../tools/lib/vitest/host-features'
import { findProgram } from '../../host/programs'
import { tapOf } from '../../network-model/names'
import { openBed, type Bed } from './testing/bed'
import { groupOf, networkOf, openOut, portOf, wantedOf } from '../../network-model/testing/wanted-examples'

const test = testOn('networks')

/* Simulates hosts on which a program fails temporarily. The server runs as an ordinary user. */

let programs = ''
let bed: Bed | null = null
beforeEach(() => {
  programs = mkdtempSync(join(tmpdir(), 'mainstay-fake-'))
  chmodSync(programs, 0o777)
})
afterEach(async () => {
  await bed?.end()
  bed = null
  rmSync(programs, { recursive: true })
})

/** Installs a wrapper for a program, which runs `script` before the program itself. */
function precede(name: string, script: string): void {
  writeFileSync(join(programs, name), `#!/bin/sh\n${script}\nexec ${findProgram(name)} "$@"\n`, { mode: 0o755 })
}

const open = async () =>
  (bed = await openBed({ rootless: true, host: ['env', `PATH=${programs}:${process.env['PATH']}`] }))

const network = networkOf(['10.0.0.0/24'])
const group = groupOf(openOut())
const port = portOf(network, 11, { securityGroups: [group.id] })
const wanted = wantedOf({ networks: [network], ports: [port], groups: [group] })

test('networking becomes available without a restart once the host permits it', { tags: 'all' }, async () => {
  const refusal = 'unshare: unshare failed: Operation not permitted'
  precede('unshare', `[ -e "$0.refuses" ] && { echo '${refusal}' >&2; exit 1; }`)
  writeFileSync(join(programs, 'unshare.refuses'), '')
  const { calls, run } = await open()
  expect(await calls.probe()).toMatchObject({
    available: false,
    missing: [{ because: expect.stringContaining(refusal), command: expect.stringMatching(/^sysctl/) }],
  })
  await expect(calls.apply(wanted)).rejects.toThrow(refusal)
  await calls.retry()
  expect(await calls.probe()).toMatchObject({ available: false })

  rmSync(join(programs, 'unshare.refuses'))
  await calls.retry()
  expect(await calls.probe()).toMatchObject({ available: true, missing: [] })
  const applied = await calls.apply(wanted)
  expect([...applied.networks, ...applied.ports]).toEqual([])
  await calls.plug(port.id)
  expect(await run('sw', 'ip -o link')).toContain(tapOf(port.id))
})

test(
  'a new namespace holder counts as ready only once it is in the uplink’s network namespace',
  { tags: 'all' },
  async () => {
    const { calls, folder, run } = await open()
    await calls.apply(wanted)
    const services = JSON.parse(readFileSync(join(folder, 'networks/services.json'), 'utf8')) as Record<
      string,
      { process: { pid: number } }
    >
    // delays the holder while it is still in the namespaces of the process through which it enters the capsule
    const wait = `exec sh -c 'sleep 3; exec ${findProgram('nsenter')} "$@"' sh "$@"`
    precede('nsenter', `case "$1" in --net=/run/netns/edge) ${wait};; esac`)
    const { holder: killed } = await calls.pids()
    // leaves no process in the capsule's own network namespace
    process.kill(services['metadata']!.process.pid, 'SIGKILL')
    process.kill(killed, 'SIGKILL')
    let holder = killed
    while (holder === killed) {
      const fault = await calls.look().then(
        () => null,
        ({ message }: Error) => message,
      )
      // a check that began before the kill may still query the killed process
      if (!fault?.includes(`/proc/${killed}/`)) expect(fault).toBe(null)
      holder = (await calls.pids()).holder
    }
    expect(readlinkSync(`/proc/${holder}/ns/net`)).toBe((await run('edge', 'readlink /proc/self/ns/net')).trim())
  },
)
