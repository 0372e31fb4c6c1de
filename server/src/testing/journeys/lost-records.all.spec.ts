import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { GiB } from '@mainstay/contract/core/bytes'
import { instances } from '@mainstay/contract/compute/instances'
import { managementBackup } from '@mainstay/contract/infrastructure/management-backup'
import { notifications } from '@mainstay/contract/settings/notifications'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { needs } from '../../../../tools/lib/vitest/host-features'
import { signIn, type ApiClient } from '../api-client'
import { ADMIN_PASSWORD, removeData, spawnProgram, startProgram, type ServerProgram } from '../server-program'

/* The loss of all records, with the disks of the machines kept, as docs/operating.md describes it. */

let folder: string
let elsewhere: string
let program: ServerProgram | undefined
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mainstay-lost-'))
  elsewhere = await mkdtemp(path.join(tmpdir(), 'mainstay-elsewhere-'))
})
afterEach(async () => {
  await program?.kill()
  await removeData(folder)
  await rm(elsewhere, { recursive: true, force: true })
})

const start = async () => (program = await startProgram({ folder, hypervisor: 'qemu' }))
const asMember = ({ url }: ServerProgram) =>
  signIn(url, { username: 'admin', password: ADMIN_PASSWORD, project: 'demo' })
const asOperator = ({ adminUrl }: ServerProgram) => signIn(adminUrl, { username: 'admin', password: ADMIN_PASSWORD })
const becomes = (member: ApiClient, id: string, status: string) =>
  vi.waitFor(
    async () => {
      const row = await member.call(instances.view, { params: { id } })
      expect([row.status, row.task_state]).toEqual([status, null])
    },
    { timeout: 120_000, interval: 500 },
  )

async function backUp(operator: ApiClient): Promise<{ file: string; identity: string }> {
  await operator.call(managementBackup.update, { body: { place: { kind: 'folder', path: elsewhere } } })
  const { recipient, identity } = await operator.call(managementBackup.createKey, { body: {} })
  await operator.call(managementBackup.confirmKey, { body: { recipient, ending: identity.slice(-4) } })
  await operator.call(managementBackup.create, { body: {} })
  return vi.waitFor(
    async () => {
      const { last_backup_location: file } = await operator.call(managementBackup.view)
      expect(file).not.toBeNull()
      return { file: file!, identity }
    },
    { timeout: 60_000 },
  )
}

/** Deletes everything in the data folder except the disks. */
async function loseRecords(): Promise<void> {
  const disks = path.join(folder, 'engine', 'volumes')
  const aside = path.join(elsewhere, 'volumes')
  await rename(disks, aside)
  for (const name of await readdir(folder)) await rm(path.join(folder, name), { recursive: true })
  await mkdir(path.dirname(disks))
  await rename(aside, disks)
}

describe('an installation that has lost its records', { timeout: 10 * 60_000, ...needs('QEMU') }, () => {
  test('gets them back from a backup: people sign in, secrets can be read, and machines start', async () => {
    const first = await start()
    const member = await asMember(first)
    const volumes = [{ source: 'blank' as const, size: GiB, boot_index: 0 }]
    const draft = { name: 'kept', flavor: 's1.nano', networks: [], volumes }
    const { id } = await member.call(instances.create, { body: draft })
    await becomes(member, id, 'ACTIVE')
    await member.call(instances.stop, { params: { id }, body: { hard: true } })
    await becomes(member, id, 'SHUTOFF')
    const operator = await asOperator(first)
    const notification_settings = { from: 'cloud@example.com', email_recipients_list: ['ops@example.com'] }
    const smtp_settings = { smtp_server: 'mail.example', account_name: 'cloud', password: 'only here' }
    await operator.call(notifications.save, { body: { notification_settings, smtp_settings } })
    const { file, identity } = await backUp(operator)
    await first.stop()
    await loseRecords()

    // the key is the first line of standard input
    const through = ['sh', '-c', `echo '${identity}' | "$@"`, 'sh']
    const restoring = spawnProgram({ folder, hypervisor: 'qemu', through, words: ['--restore', file] })
    expect(await restoring.ended, restoring.said()).toMatchObject({ code: 0 })
    expect(restoring.said()).toContain('is restored')

    const second = await start()
    const again = await asMember(second)
    expect(await again.call(instances.view, { params: { id } })).toMatchObject({ name: 'kept', status: 'SHUTOFF' })
    await again.call(instances.start, { params: { id }, body: {} })
    await becomes(again, id, 'ACTIVE')
    expect(await (await asOperator(second)).call(notifications.view)).toMatchObject({
      smtp_settings: { has_password: true },
    })
    await again.call(instances.delete, { params: { id } })
  })
})
