import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needs } from '../../../../../tools/lib/vitest/host-features'
import { serviceUser, type ServiceUser } from '../../../host/service-users'
import type { Hypervisor, MachineSpec } from '../../hypervisor'
import { cleanUp, dataFolder, diskOf, nicOf, open, specOf, until } from '../testbed'

describe('a machine’s process', { timeout: 240_000, ...needs('QEMU') }, () => {
  const folder = dataFolder()
  let hypervisor: Hypervisor
  let user: ServiceUser | null
  let machine: MachineSpec

  const at = (...names: string[]) => join(folder, 'machines', machine.id, ...names)
  const record = () => JSON.parse(readFileSync(at('machine.json'), 'utf8')) as Record<string, unknown>
  const pid = () => (record()['process'] as { pid: number }).pid
  const status = (name: string) =>
    new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(readFileSync(`/proc/${pid()}/status`, 'utf8'))?.[1] ?? ''
  const modeOf = (path: string) => `0${(statSync(path).mode & 0o777).toString(8)}`
  const blank = async (name: string) => {
    await hypervisor.disks.createBlank(join(folder, name), 1024 ** 2)
    return diskOf(join(folder, name))
  }
  const reopen = async () => {
    await hypervisor.close()
    ;({ hypervisor } = await open(folder))
  }

  beforeAll(async () => {
    user = await serviceUser('vm')
    ;({ hypervisor } = await open(folder))
    const seed = join(folder, 'seed.iso')
    await hypervisor.disks.writeSeed(seed, { 'meta-data': 'local-hostname: web-1\n' })
    machine = specOf([await blank('a.qcow2')], { seed, nics: [nicOf()] })
    await hypervisor.machines.start(machine)
  })
  afterAll(() => cleanUp(hypervisor, folder))

  test('runs as an unprivileged user without capabilities, and cannot gain any', () => {
    const uids = status('Uid').split(/\s+/).map(Number)
    expect(new Set(uids)).toEqual(new Set([user?.uid ?? process.getuid?.()]))
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb']) expect(status(set), set).toMatch(/^0+$/)
    if (user || hypervisor.guestNetwork().problem === null) expect(status('CapBnd')).toMatch(/^0+$/)
    expect(status('NoNewPrivs')).toBe('1')
    // the filter of `-sandbox` is active
    expect(status('Seccomp')).toBe('2')
    const isApart = readlinkSync(`/proc/${pid()}/ns/net`) !== readlinkSync('/proc/self/ns/net')
    expect(isApart).toBe(hypervisor.guestNetwork().problem === null)
  })

  test('may write its own disks and logs, which other users cannot read, but not the server’s records', async () => {
    for (const path of [join(folder, 'a.qcow2'), at('serial.log'), at('machine.json'), at('stderr.log')])
      expect(modeOf(path), path).toBe('0600')
    expect(modeOf(at('sockets'))).toBe('0700')
    if (!user) return
    const owner = (path: string) => statSync(path).uid
    expect([join(folder, 'a.qcow2'), at('serial.log'), at('sockets')].map(owner)).toEqual(Array(3).fill(user.uid))
    expect([at(), at('machine.json'), at('stderr.log'), join(folder, 'seed.iso')].map(owner)).toEqual([0, 0, 0, 0])
    expect([modeOf(join(folder, 'seed.iso')), statSync(join(folder, 'seed.iso')).gid]).toEqual(['0640', user.gid])
  })

  test('can attach disks and interfaces, and be suspended and resumed', async () => {
    const { machines } = hypervisor
    const disk = await blank('b.qcow2')
    await machines.attachDisk(machine.id, disk)
    await machines.attachNic(machine.id, nicOf({ mac: '52:54:00:12:34:57', cidr: '10.9.0.0/24', address: null }))
    expect(modeOf(disk.path)).toBe('0600')
    await hypervisor.disks.createFrom(join(folder, 'copy.qcow2'), disk.path, 0)
    expect(modeOf(join(folder, 'copy.qcow2'))).toBe('0600')
    await machines.suspend(machine.id)
    expect([await machines.state(machine.id), modeOf(at('memory'))]).toEqual(['saved', '0600'])
    await machines.start(machine)
    expect(await machines.state(machine.id)).toBe('running')
  })

  test(
    'that an earlier version started is adopted, and reported until the machine is next started',
    { tags: 'all' },
    async () => {
      // the folder layout of that version: sockets next to other files, and neither a network namespace nor a guest agent
      const before = pid()
      await hypervisor.close()
      for (const name of ['qmp.sock', 'vnc.sock', 'serial.sock']) renameSync(at('sockets', name), at(name))
      rmSync(at('sockets', 'agent.sock'))
      rmdirSync(at('sockets'))
      const { namespace: _, hasAgentPort: __, ...older } = record()
      writeFileSync(at('machine.json'), JSON.stringify(older))
      mkdirSync(join(folder, 'volumes'))
      for (const path of [at('serial.1.log'), join(folder, 'volumes', 'v.qcow2')])
        writeFileSync(path, '', { mode: 0o644 })
      ;({ hypervisor } = await open(folder))
      expect([await hypervisor.machines.state(machine.id), pid()]).toEqual(['running', before])
      expect([at('serial.1.log'), join(folder, 'volumes', 'v.qcow2')].map(modeOf)).toEqual(['0640', '0640'])
      expect(await hypervisor.machines.vncSocket(machine.id)).toMatch(/[^/]+\/vnc\.sock$/)
      expect(hypervisor.guestNetwork().problem).toContain(machine.id)
      await hypervisor.machines.cut(machine.id)
      await hypervisor.machines.start(machine)
      expect(hypervisor.guestNetwork().problem ?? '').not.toContain(machine.id)
    },
  )

  test('leaves no other process behind once no machine is running and the server exits', { tags: 'all' }, async () => {
    const network = join(folder, 'network', 'capsule.json')
    await hypervisor.machines.cut(machine.id)
    await hypervisor.close()
    const kept = existsSync(network)
      ? (JSON.parse(readFileSync(network, 'utf8')) as Record<string, { pid?: number }>)
      : {}
    for (const one of Object.values(kept).flatMap(({ pid: number }) => number ?? []))
      await until(`process ${one} to be gone`, () => !isThere(one))
    await reopen()
    await hypervisor.machines.start(machine)
    expect(await hypervisor.machines.state(machine.id)).toBe('running')
  })
})

function isThere(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
