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

/** Until its parent took note, too. */
const gone = (pid: number) => until(`process ${pid} to be gone`, () => !existsSync(`/proc/${pid}`), 20_000)

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

  test('is only accelerated by a KVM that really runs guests', () => {
    expect(['kvm', 'tcg']).toContain(hypervisor.host.accelerator)
    expect(hypervisor.host.version).toMatch(/^\d+\.\d+/)
  })

  test('has a seed that systems without Rock Ridge can read, too', async () => {
    const names = await ask(hypervisor, guest.id, 'mount -o norock,ro /dev/sr0 /mnt; ls /mnt; umount /mnt')
    expect(names.split(/\s+/)).toEqual(['meta-data', 'network-config', 'user-data'])
  })

  test('shows its screen to a VNC viewer', async () => {
    const socket = connect(await hypervisor.machines.vncSocket(guest.id))
    const greeting = await new Promise<string>((done) => socket.once('data', (bytes) => done(bytes.toString('latin1'))))
    socket.destroy()
    expect(greeting).toMatch(/^RFB 003\.\d{3}\n$/)
  })

  test('uses processor time and disk; its memory is unknown, because guests do not report it', async () => {
    const usage = await hypervisor.machines.usage(guest.id)
    expect(usage?.cpuSeconds).toBeGreaterThan(0.5)
    expect(usage?.ramBytes).toBeNull()
    expect(usage?.disks).toMatchObject([{ id: guest.disks[0]?.id, readBytes: expect.any(Number) }])
    expect(usage?.disks[0]?.readBytes).toBeGreaterThan(1024 ** 2)
  })

  test('gives the end of its console log', async () => {
    const tail = await hypervisor.machines.consoleLog(guest.id, 20)
    expect(tail).toHaveLength(20)
    expect((await consoleOf(hypervisor, guest.id)).endsWith(tail.toString())).toBe(true)
  })

  test('stands still while it is paused', async () => {
    const { machines } = hypervisor
    await machines.pause(guest.id)
    expect(await machines.state(guest.id)).toBe('paused')
    await machines.unpause(guest.id)
    expect(await machines.state(guest.id)).toBe('running')
    expect(events.slice(-2).map(({ state }) => state)).toEqual(['paused', 'running'])
  })

  test('that is started again is left as it is', async () => {
    const pid = pidOf(folder, guest.id)
    await hypervisor.machines.start(guest)
    expect(pidOf(folder, guest.id)).toBe(pid)
  })

  test('goes on without the server, which finds it again when it comes back', async () => {
    const pid = pidOf(folder, guest.id)
    await reopen()
    expect(await hypervisor.machines.known()).toEqual([{ id: guest.id, state: 'running' }])
    expect(pidOf(folder, guest.id)).toBe(pid)
    expect(await ask(hypervisor, guest.id, 'hostname')).toBe('web-1')
  })

  test('remembers everything over suspend, a restart of the server and resume', async () => {
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

  test('that its guest reboots goes on running', async () => {
    const pid = pidOf(folder, guest.id)
    await booting(hypervisor, guest.id, () => type(hypervisor, guest.id, 'reboot -f'))
    expect(pidOf(folder, guest.id)).toBe(pid)
    expect(events.map(({ state }) => state)).toEqual(['running'])
  })

  test('is reset without losing its process', async () => {
    // the emulator of a resumed machine has translated little yet, and is reset in half the time
    await hypervisor.machines.suspend(guest.id)
    await hypervisor.machines.start(guest)
    const pid = pidOf(folder, guest.id)
    await booting(hypervisor, guest.id, () => hypervisor.machines.reset(guest.id))
    expect(pidOf(folder, guest.id)).toBe(pid)
    expect(await hypervisor.machines.state(guest.id)).toBe('running')
  })

  test('obeys the power button', async () => {
    events.splice(0)
    await hypervisor.machines.pressPower(guest.id)
    await eventOf(events, guest.id, 'off')
    expect(events.map(({ state }) => state)).toEqual(['off'])
  })

  test('that switches itself off while no server watches is off, not crashed', async () => {
    await start()
    const pid = pidOf(folder, guest.id)
    await type(hypervisor, guest.id, 'sleep 1; poweroff -f')
    await hypervisor.close()
    // The process stays, stopped: its processor time no longer grows.
    const ticks = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ').slice(13, 15).join()
    await until('the guest to be off', async () => {
      const before = ticks()
      await new Promise((again) => setTimeout(again, 1_500))
      return before === ticks()
    })
    ;({ hypervisor, events } = await open(folder))
    expect(await hypervisor.machines.state(guest.id)).toBe('off')
    await gone(pid)
  })

  test('that is killed from outside is crashed at once', async () => {
    await hypervisor.machines.start(guest)
    process.kill(pidOf(folder, guest.id), 'SIGKILL')
    const { reason } = await eventOf(events, guest.id, 'crashed', 20_000)
    expect(reason).toContain('ended')
    expect(await hypervisor.machines.state(guest.id)).toBe('crashed')
    expect(await refusal(hypervisor.machines.pressPower(guest.id))).toMatchObject({ code: 'not_running' })
    await reopen()
    expect(await hypervisor.machines.state(guest.id)).toBe('crashed')
  })

  test('that is killed while no server watches is crashed', async () => {
    await hypervisor.machines.start(guest)
    await hypervisor.close()
    process.kill(pidOf(folder, guest.id), 'SIGKILL')
    ;({ hypervisor, events } = await open(folder))
    expect(await hypervisor.machines.known()).toEqual([{ id: guest.id, state: 'crashed' }])
  })

  test('is off once its power is cut, also twice', async () => {
    await hypervisor.machines.start(guest)
    const pid = pidOf(folder, guest.id)
    await hypervisor.machines.cut(guest.id)
    await hypervisor.machines.cut(guest.id)
    expect(await hypervisor.machines.state(guest.id)).toBe('off')
    await gone(pid)
    expect(events.map(({ state }) => state)).toEqual(['running', 'off'])
  })

  test('can be cut while it is being started', async () => {
    const starting = refusal(hypervisor.machines.start(guest))
    await hypervisor.machines.cut(guest.id)
    await starting
    expect(await hypervisor.machines.state(guest.id)).toBe('off')
  })

  test('does not start twice from one disk', async () => {
    await hypervisor.machines.start(guest)
    const twin = { ...guest, id: 'twin' }
    const { code, message } = await refusal(hypervisor.machines.start(twin))
    expect({ code, message }).toEqual({
      code: 'failed',
      message: 'A disk of the machine is in use by another machine or task',
    })
    expect(await hypervisor.machines.state('twin')).toBe('off')
    await hypervisor.machines.forget('twin')
    await hypervisor.machines.cut(guest.id)
  })

  test('of more memory than the host has is refused', async () => {
    const spec = specOf([], { ramMiB: 64 * 1024 * 1024 })
    expect(await refusal(hypervisor.machines.start(spec))).toMatchObject({ code: 'no_memory' })
    await hypervisor.machines.forget(spec.id)
  })

  test('with a missing disk says so without naming paths of the host', async () => {
    const [disk] = guest.disks
    const spec = specOf(disk ? [{ ...disk, path: '/srv/secret/gone.qcow2' }] : [])
    expect(await refusal(hypervisor.machines.start(spec))).toEqual({
      code: 'failed',
      message: 'A disk of the machine is missing',
    })
    await hypervisor.machines.forget(spec.id)
  })

  test('for Windows starts with the features that this host has, and again from its saved memory', async () => {
    const windows = specOf([], { isWindows: true })
    await hypervisor.machines.start(windows)
    await hypervisor.machines.suspend(windows.id)
    await hypervisor.machines.start(windows)
    expect(await hypervisor.machines.state(windows.id)).toBe('running')
    await hypervisor.machines.forget(windows.id)
  })

  test('with an id that is none is refused', async () => {
    const spec = specOf([], { id: '../../etc' })
    expect(await refusal(hypervisor.machines.start(spec))).toMatchObject({ code: 'failed' })
    expect(await refusal(hypervisor.machines.forget('../machines'))).toMatchObject({ code: 'failed' })
  })

  test('leaves nothing behind once it is forgotten', async () => {
    await hypervisor.machines.start(guest)
    await hypervisor.machines.forget(guest.id)
    await hypervisor.machines.forget(guest.id)
    expect(await hypervisor.machines.known()).toEqual([])
    await reopen()
    expect(await hypervisor.machines.known()).toEqual([])
  })
})
