import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { images } from '@mainstay/contract/compute/images'
import { instances } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { tasks } from '@mainstay/contract/core/tasks'
import { machineRestores } from '@mainstay/contract/protection/machine-restores'
import { volumeBackups } from '@mainstay/contract/storage/volume-backups'
import { guestImage } from '@mainstay/engines/embedded/qemu/testbed'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { needs } from '../../../../tools/lib/vitest/host-features'
import { signIn } from '../api-client'
import { ADMIN_PASSWORD, removeData, startProgram, type ServerProgram } from '../server-program'

/* Recovery points and test restores of a real guest with an agent. */

let folder: string
let program: ServerProgram | undefined
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mainstay-guest-'))
})
afterEach(async () => {
  await program?.kill()
  await removeData(folder)
})
const soon = <Found>(look: () => Promise<Found>) => vi.waitFor(look, { timeout: 120_000, interval: 500 })

/** Gives the guest a file system that can be frozen. */
const script = '#!/bin/sh\nmke2fs /dev/vdb >/dev/null 2>&1 && mkdir -p /data && mount /dev/vdb /data && echo mounted\n'
const user_data = Buffer.from(script).toString('base64')

test(
  'a guest with an agent is frozen for recovery points, and confirms its test restore',
  { timeout: 600_000, ...needs('QEMU') },
  async () => {
    const environment = { MAINSTAY_SAMPLE_IMAGE: guestImage() }
    program = await startProgram({ folder, hypervisor: 'qemu', environment })
    const member = await signIn(program.url, { username: 'admin', password: ADMIN_PASSWORD, project: 'demo' })
    const image = await soon(async () => {
      const found = (await member.call(images.list)).data.find(({ status }) => status === 'active')
      expect(found).toBeDefined()
      return found!
    })
    const volumes = [
      { source: 'image' as const, id: image.id, size: GiB, boot_index: 0 },
      { source: 'blank' as const, size: GiB },
    ]
    const body = { name: 'frozen', flavor: 's1.nano', networks: [], volumes, user_data }
    const { id } = await member.call(instances.create, { body })
    await soon(async () => {
      const log = await (await member.fetch(instances.log, { params: { id } })).text()
      expect(log).toContain('user-data: mounted')
    })
    const [point] = await member.call(volumeBackups.createInstant, { params: { id }, body: { name: 'all' } })
    const view = () => member.call(volumeBackups.view, { params: { id: point!.id } })
    await soon(async () => expect(await view()).toMatchObject({ status: 'available', consistency: 'guest' }))
    const { task_id } = await member.call(machineRestores.testRestore, { params: { id: point!.id }, body: {} })
    await soon(async () => {
      const { state, error } = await member.call(tasks.view, { params: { id: task_id } })
      expect([state, error]).toEqual(['success', null])
    })
    expect(await view()).toMatchObject({ restore_test: { result: 'confirmed', reason: null } })
  },
)
