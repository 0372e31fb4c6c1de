import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needs } from '../../../../../tools/lib/vitest/host-features'
import type { Hypervisor, MachineEvent, MachineSpec } from '../../hypervisor'
import {
  ask,
  booting,
  cleanUp,
  consoleOf,
  dataFolder,
  eventOf,
  guestImage,
  guestSpec,
  nicOf,
  open,
  refusal,
  specOf,
  type,
  until,
} from '../testbed'

const pidOf = (folder: string, id: string) => Number(readFileSync(join(folder, 'machines', id, 'qemu.pid'), 'utf8'))

/** Waits until the process has exited and its parent has reaped it. */
const gone = (pid: number) => until(`process ${pid} to be gone`, () => !existsSync(`/proc/${pid}`))

describe('a machine', { timeout: 120_000, ...needs('QEMU') }, () => {
  const folder = dataFolder()
  let hypervisor: Hypervisor
  let events: MachineEvent[]
  let guest: MachineSpec

  const reopen = async () => {
    await hypervisor.close()
    ;({ hypervisor, events } = await open(folder))
  }
  const start = () => booting(hypervisor, guest.id, () => hypervisor.machines.start(guest))

  beforeAll(async () => {
    guestImage()
    ;({ hypervisor, events } = await open(folder))
    const seed = join(folder, 'seed.iso')
    await hypervisor.disks.writeSeed(seed, {
      'user-data': '#!/bin/sh\necho "made by $(basename $0)"\n',
      'meta-data': 'local-hostname: web-1\npublic-keys:\n - ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA ada@example\n',
      'network-config': 'version: 2\n',
    })
    guest = await guestSpec(hypervisor, folder, {
      seed,
      nics: [nicOf({ address: '192.168.7.20', cidr: '192.168.7.0/24' })],
    })
    await start()
  }, 300_000)

  afterAll(() => cleanUp(hypervisor, folder))

  test('runs its guest, which reads the seed and gets the address of its port', async () => {
    expect(await hypervisor.machines.state(guest.id)).toBe('running')
    expect(events).toEqual([{ id: guest.id, state: 'running', reason: null }])
    const console = await consoleOf(hypervisor, guest.id)
    expect(console).toContain('cloud-init: hostname web-1')
    expect(console).toContain('cloud-init: ssh key ssh-ed25519 ada@example')
    expect(console).toContain('user-data: made by user-data')
    expect(console).toContain('network eth0: address 192.168.7.20/24')
  })

  test('uses KVM only if it can actually run guests', () => {
    expect(['kvm', 'tcg']).toContain(hypervisor.host.accelerator)
    expect(hypervisor.host.version).toMatch(/^\d+\.\d+/)
  })

  test('has a seed that is readable without Rock Ridge', async () => {
    const names = await ask(hypervisor, guest.id, 'mount -o norock,ro /dev/sr0 /mnt; ls /mnt; umount /mnt')
    expect(names.split(/\s+/)).toEqual(['meta-data', 'network-config', 'user-data'])
  })

  test('serves its screen over VNC', async () => {
    const socket = connect(await hypervisor.machines.vncSocket(guest.id))
    const greeting = await new Promise<string>((done) => socket.once('data', (bytes) => done(bytes.toString('latin1'))))
    socket.destroy()
    expect(greeting).toMatch(/^RFB 003\.\d{3}\n$/)
  })

  test('reports processor time and disk usage, but not memory usage, which guests do not report', async () => {
    const usage = await hypervisor.machines.usage(guest.id)
    expect(usage?.cpuSeconds).toBeGreaterThan(0.5)
    expect(usage?.ramBytes).toBeNull()
    expect(usage?.disks).toMatchObject([{ id: guest.disks[0]?.id, readBytes: expect.any(Number) }])
    expect(usage?.disks[0]?.readBytes).toBeGreaterThan(1024 ** 2)
  })

  test('returns the end of its console log', async () => {
    const tail = await hypervisor.machines.consoleLog(guest.id, 20)
    expect(tail).toHaveLength(20)
    expect((await consoleOf(hypervisor, guest.id)).endsWith(tail.toString())).toBe(true)
  })

  test('can be paused and unpaused', async () => {
    const { machines } = hypervisor
    await machines.pause(guest.id)
    expect(await machines.state(guest.id)).toBe('paused')
    await machines.unpause(guest.id)
    expect(await machines.state(guest.id)).toBe('running')
    expect(events.slice(-2).map(({ state }) => state)).toEqual(['paused', 'running'])
  })

  test('ignores a second start', async () => {
    const pid = pidOf(folder, guest.id)
    await hypervisor.machines.start(guest)
    expect(pidOf(folder, guest.id)).toBe(pid)
  })

  test('survives a server restart and is adopted by the new server', async () => {
    const pid = pidOf(folder, guest.id)
    await reopen()
    expect(await hypervisor.machines.known()).toEqual([{ id: guest.id, state: 'running' }])
    expect(pidOf(folder, guest.id)).toBe(pid)
    expect(await ask(hypervisor, guest.id, 'hostname')).toBe('web-1')
  })

  test('keeps its memory across suspend, server restart and resume', async () => {
    const { id } = guest
    await ask(hypervisor, id, 'echo kept-in-memory > /tmp/note')
    const uptime = Number.parseFloat(await ask(hypervisor, id, 'cat /proc/uptime'))
    const pid = pidOf(folder, id)
    await hypervisor.machines.suspend(id)
    expect(await hypervisor.machines.state(id)).toBe('saved')
    await gone(pid)
    await reopen()
    expect(await hypervisor.machines.state(id)).toBe('saved')
    await hypervisor.machines.start(guest)
    expect(await ask(hypervisor, id, 'cat /tmp/note')).toBe('kept-in-memory')
    expect(Number.parseFloat(await ask(hypervisor, id, 'cat /proc/uptime'))).toBeGreaterThan(uptime)
    expect(events.map(({ state }) => state)).toEqual(['running'])
  })

  test('shuts down when the power button is pressed', async () => {
    events.splice(0)
    await hypervisor.machines.pressPower(guest.id)
    await eventOf(events, guest.id, 'off')
    expect(events.map(({ state }) => state)).toEqual(['off'])
  })

  test('whose guest shuts down while no server is running is off, not crashed', { tags: 'all' }, async () => {
    await start()
    const pid = pidOf(folder, guest.id)
    await type(hypervisor, guest.id, 'sleep 1; poweroff -f')
    await hypervisor.close()
    // The process remains, but its guest is stopped and uses no processor time.
    const stat = `/proc/${pid}/stat`
    const ticks = () => (existsSync(stat) ? readFileSync(stat, 'utf8').split(' ').slice(13, 15).join() : '')
    await until('the guest to be off', async () => {
      const before = ticks()
      await new Promise((again) => setTimeout(again, 1_500))
      return before === ticks()
    })
    ;({ hypervisor, events } = await open(folder))
    expect(await hypervisor.machines.state(guest.id)).toBe('off')
    await gone(pid)
  })

  test('whose process is killed is immediately reported as crashed', async () => {
    await hypervisor.machines.start(guest)
    process.kill(pidOf(folder, guest.id), 'SIGKILL')
    const { reason } = await eventOf(events, guest.id, 'crashed', 20_000)
    expect(reason).toContain('terminated')
    expect(await hypervisor.machines.state(guest.id)).toBe('crashed')
    expect(await refusal(hypervisor.machines.pressPower(guest.id))).toMatchObject({ code: 'not_running' })
    await reopen()
    expect(await hypervisor.machines.state(guest.id)).toBe('crashed')
  })

  test('whose process is killed while no server is running is reported as crashed', async () => {
    await hypervisor.machines.start(guest)
    await hypervisor.close()
    process.kill(pidOf(folder, guest.id), 'SIGKILL')
    ;({ hypervisor, events } = await open(folder))
    expect(await hypervisor.machines.known()).toEqual([{ id: guest.id, state: 'crashed' }])
  })

  test('is off after its power is cut, even if it is cut twice', async () => {
    await hypervisor.machines.start(guest)
    const pid = pidOf(folder, guest.id)
    await hypervisor.machines.cut(guest.id)
    await hypervisor.machines.cut(guest.id)
    expect(await hypervisor.machines.state(guest.id)).toBe('off')
    await gone(pid)
    expect(events.map(({ state }) => state)).toEqual(['running', 'off'])
  })

  test('can have its power cut while it starts', async () => {
    const starting = refusal(hypervisor.machines.start(guest))
    await hypervisor.machines.cut(guest.id)
    await starting
    expect(await hypervisor.machines.state(guest.id)).toBe('off')
  })

  test('cannot start with a disk that another machine uses', async () => {
    await hypervisor.machines.start(guest)
    const twin = { ...guest, id: 'twin' }
    const { code, message } = await refusal(hypervisor.machines.start(twin))
    expect({ code, message }).toEqual({
      code: 'failed',
      message: 'A disk of the virtual machine is in use by another virtual machine or task',
    })
    expect(await hypervisor.machines.state('twin')).toBe('off')
    await hypervisor.machines.forget('twin')
    await hypervisor.machines.cut(guest.id)
  })

  test('refuses to start with more memory than the host has', async () => {
    const spec = specOf([], { ramMiB: 64 * 1024 * 1024 })
    expect(await refusal(hypervisor.machines.start(spec))).toMatchObject({ code: 'no_memory' })
    await hypervisor.machines.forget(spec.id)
  })

  test('reports a missing disk without exposing host paths', async () => {
    const [disk] = guest.disks
    const spec = specOf(disk ? [{ ...disk, path: '/srv/secret/gone.qcow2' }] : [])
    expect(await refusal(hypervisor.machines.start(spec))).toEqual({
      code: 'failed',
      message: 'A disk of the virtual machine is missing',
    })
    await hypervisor.machines.forget(spec.id)
  })

  test('starts and resumes with Hyper-V enlightenments for Windows', async () => {
    const windows = specOf([], { isWindows: true })
    await hypervisor.machines.start(windows)
    await hypervisor.machines.suspend(windows.id)
    await hypervisor.machines.start(windows)
    expect(await hypervisor.machines.state(windows.id)).toBe('running')
    await hypervisor.machines.forget(windows.id)
  })

  // machines-boots.all.spec.ts waits until a guest has booted again
  test('keeps its process on a reset, even without an operating system', async () => {
    const empty = specOf([])
    await hypervisor.machines.start(empty)
    const pid = pidOf(folder, empty.id)
    await hypervisor.machines.reset(empty.id)
    expect(pidOf(folder, empty.id)).toBe(pid)
    expect(existsSync(`/proc/${pid}`)).toBe(true)
    expect(await hypervisor.machines.state(empty.id)).toBe('running')
    await hypervisor.machines.forget(empty.id)
  })

  test('refuses an invalid ID', async () => {
    const spec = specOf([], { id: '../../etc' })
    expect(await refusal(hypervisor.machines.start(spec))).toMatchObject({ code: 'failed' })
    expect(await refusal(hypervisor.machines.forget('../machines'))).toMatchObject({ code: 'failed' })
  })

  test('leaves no files or processes behind once it is forgotten', { tags: 'all' }, async () => {
    await hypervisor.machines.start(guest)
    await hypervisor.machines.forget(guest.id)
    await hypervisor.machines.forget(guest.id)
    expect(await hypervisor.machines.known()).toEqual([])
    await reopen()
    expect(await hypervisor.machines.known()).toEqual([])
  })
})
