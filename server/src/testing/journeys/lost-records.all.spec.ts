import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { GiB } from '@mainstay/contract/core/bytes'
import { instances } from '@mainstay/contract/compute/instances'
import { managementBackup } from '@mainstay/contract/infrastructure/management-backup'
import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { machineRestores } from '@mainstay/contract/protection/machine-restores'
import { notifications } from '@mainstay/contract/settings/notifications'
import { volumeBackups } from '@mainstay/contract/storage/volume-backups'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { needs } from '../../../../tools/lib/vitest/host-features'
import { signIn, type ApiClient } from '../api-client'
import { ADMIN_PASSWORD, removeData, spawnProgram, startProgram, type ServerProgram } from '../server-program'
import { startServer, type TestServer } from '../start-server'

/*
 * Covers the loss of all records while the disks of the virtual machines are kept, as described in docs/operating.md.
 */

let folder: string
let elsewhere: string
let program: ServerProgram | undefined
let other: TestServer | undefined
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mainstay-lost-'))
  elsewhere = await mkdtemp(path.join(tmpdir(), 'mainstay-elsewhere-'))
})
afterEach(async () => {
  await program?.kill()
  await other?.close()
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
  test('recovers them from a backup: users can sign in, secrets can be read, and virtual machines start', async () => {
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

    // the program reads the key from the first line of standard input
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

  test('recovers a virtual machine from recovery points in a bucket if its disks are also lost', async () => {
    const bucket = await elsewhereInBucket()
    const first = await start()
    const [member, operator] = [await asMember(first), await asOperator(first)]
    await operator.call(computeCluster.update, { body: { backup: bucket } })
    const volumes = [
      { source: 'blank' as const, size: GiB, boot_index: 0 },
      { source: 'blank' as const, size: GiB },
    ]
    const draft = { name: 'lost', flavor: 's1.nano', networks: [], volumes }
    const { id } = await member.call(instances.create, { body: draft })
    await becomes(member, id, 'ACTIVE')
    await member.call(instances.stop, { params: { id }, body: { hard: true } })
    await becomes(member, id, 'SHUTOFF')
    const disks = (await member.call(instances.view, { params: { id } })).volumes.map((disk) => fileOf(disk.id))
    for (const [index, file] of disks.entries()) write(file, index + 1)
    const [point] = await capture(member, id)
    // writes an increment, so that a restore needs a chain of recovery points
    write(disks[1]!, 9)
    const [, changed] = await capture(member, id)
    expect(await member.call(volumeBackups.view, { params: { id: changed!.id } })).toMatchObject({
      is_incremental: true,
    })
    const { file, identity } = await backUp(operator)
    await first.stop()
    await removeData(folder)
    await mkdir(folder)

    const through = ['sh', '-c', `echo '${identity}' | "$@"`, 'sh']
    const restoring = spawnProgram({ folder, hypervisor: 'qemu', through, words: ['--restore', file] })
    expect(await restoring.ended, restoring.said()).toMatchObject({ code: 0 })
    const second = await start()
    const again = await asMember(second)
    for (const [of, bytes] of [
      [point!, [1, 2]],
      [changed!, [1, 9]],
    ] as const) {
      const name = `back-${bytes[1]}`
      const body = { name, flavor: 's1.nano' }
      await again.call(machineRestores.restoreMachine, { params: { id: of.id }, body })
      const machine = await vi.waitFor(
        async () => {
          const { data } = await again.call(instances.list, { query: { name: `exact:${name}` } })
          expect(data.map(({ status }) => status)).toEqual(['ACTIVE'])
          return data[0]!
        },
        { timeout: 120_000, interval: 500 },
      )
      await again.call(instances.stop, { params: { id: machine.id }, body: { hard: true } })
      await becomes(again, machine.id, 'SHUTOFF')
      expect(machine.volumes.map((disk, index) => holds(fileOf(disk.id), bytes[index]!))).toEqual([true, true])
    }
  })
})

const fileOf = (volumeId: string) => path.join(folder, 'engine', 'volumes', `${volumeId}.qcow2`)
const io = (file: string, command: string) =>
  execFileSync('qemu-io', ['-f', 'qcow2', '-c', command, file], { encoding: 'utf8' })
const write = (file: string, byte: number) => void io(file, `write -P ${byte} 100M 32M`)
const holds = (file: string, byte: number) => !io(file, `read -P ${byte} 100M 32M`).includes('verification failed')

async function capture(member: ApiClient, id: string) {
  const points = await member.call(volumeBackups.createInstant, { params: { id }, body: { name: 'all-disks' } })
  for (const point of points)
    await vi.waitFor(
      async () => {
        const { status, fault } = await member.call(volumeBackups.view, { params: { id: point.id } })
        expect([status, fault]).toEqual(['available', null])
      },
      { timeout: 60_000, interval: 500 },
    )
  return points
}

/** Sets a bucket of another installation as the backup target. */
async function elsewhereInBucket() {
  other = await startServer()
  const { acc_key, sec_key } = await other.call(s3Keys.create, { as: 'project-member', body: {} })
  const endpoint = (await other.tools.ports['object-storage'].service()).endpoint!
  const credentials = { accessKeyId: acc_key, secretAccessKey: sec_key }
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials })
  await client.send(new CreateBucketCommand({ Bucket: 'points' }))
  client.destroy()
  return {
    ...{ driver: 's3' as const, s3_endpoint_url: endpoint, s3_store_bucket: 'points' },
    ...{ s3_store_access_key: acc_key, s3_store_secret_key: sec_key },
  }
}
