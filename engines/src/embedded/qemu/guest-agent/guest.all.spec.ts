import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { MiB } from '@mainstay/contract/core/bytes'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { needs } from '../../../../../tools/lib/vitest/host-features'
import type { Hypervisor } from '../../hypervisor'
import { readRecord, writeRecord } from '../machines/record'
import { ask, booting, cleanUp, dataFolder, diskOf, guestSpec, open, until } from '../testbed'
import { connectGuestAgent } from './client'

/* Captures through the guest agent of a real guest, which really freezes its file systems. */

describe('the guest agent of a machine', { timeout: 600_000, ...needs('QEMU') }, () => {
  let folder: string
  let hypervisor: Hypervisor
  beforeEach(async () => {
    folder = dataFolder()
    hypervisor = (await open(folder)).hypervisor
  })
  afterEach(() => cleanUp(hypervisor, folder))

  const at = (name: string) => join(folder, `${name}.qcow2`)
  const contains = (name: string, text: string) => {
    const raw = join(folder, `${name}.raw`)
    execFileSync('qemu-img', ['convert', '-O', 'raw', at(name), raw])
    return readFileSync(raw).includes(text)
  }

  test('freezes file systems for a capture, and thaws them after it and after a server that was killed', async () => {
    await hypervisor.disks.createBlank(at('data'), 16 * MiB)
    const data = diskOf(at('data'))
    const spec = await guestSpec(hypervisor, folder, { disks: [data] })
    const { id } = spec
    expect(await hypervisor.machines.guestAnswers(id)).toBe(false)
    await booting(hypervisor, id, () => hypervisor.machines.start(spec))
    await until('the guest agent to answer', () => hypervisor.machines.guestAnswers(id))
    const capture = (mark: string) =>
      hypervisor.disks.capture([{ path: data.path, target: at(mark), mark, since: null }])

    // nothing is mounted that could be frozen
    expect((await capture('nothing')).isFrozen).toBe(false)

    await ask(hypervisor, id, 'mke2fs /dev/vdb >/dev/null 2>&1; mkdir -p /data; mount /dev/vdb /data; echo $?')
    // not flushed by the guest
    await ask(hypervisor, id, 'echo written-before-the-capture >/data/file; echo $?')
    expect((await capture('frozen')).isFrozen).toBe(true)
    expect(contains('frozen', 'written-before-the-capture')).toBe(true)
    expect(await ask(hypervisor, id, 'timeout 10 touch /data/after; echo $?')).toBe('0')
    const record = () => readRecord(join(folder, 'machines', id))!
    expect(record().mayBeFrozen).toBe(false)

    // a cancelled capture leaves nothing frozen
    const stopped = AbortSignal.abort(new Error('stopped'))
    const order = { path: data.path, target: at('stopped'), mark: 'stopped', since: null }
    await expect(hypervisor.disks.capture([order], undefined, stopped)).rejects.toThrow('stopped')
    expect(await ask(hypervisor, id, 'timeout 10 touch /data/after; echo $?')).toBe('0')

    // as a server leaves it that is killed during a freeze
    await hypervisor.close()
    const sockets = openSync(join(folder, 'machines', id, 'sockets'), 'r')
    const agent = await connectGuestAgent(`/proc/${process.pid}/fd/${sockets}/agent.sock`, 2_000)
    expect(await agent.freeze(5_000)).toBe(1)
    agent.close()
    closeSync(sockets)
    writeRecord(join(folder, 'machines', id), { ...record(), mayBeFrozen: true })
    hypervisor = (await open(folder)).hypervisor
    await until('the next server to thaw the guest', () => record().mayBeFrozen === false, 20_000)
    expect(await ask(hypervisor, id, 'timeout 10 touch /data/after; echo $?')).toBe('0')

    // the state survives a suspend, as does the port
    await hypervisor.machines.suspend(id)
    expect(await hypervisor.machines.guestAnswers(id)).toBe(false)
    await hypervisor.machines.start(spec)
    await until('the guest agent to answer', () => hypervisor.machines.guestAnswers(id), 20_000)

    // without an agent, the capture does not wait
    await ask(hypervisor, id, 'kill $(pidof agent) 2>/dev/null; killall agent 2>/dev/null; echo done')
    await until('the agent to be gone', async () => !(await hypervisor.machines.guestAnswers(id)), 20_000)
    expect((await capture('crash')).isFrozen).toBe(false)
  })
})
